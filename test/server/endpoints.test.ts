import { expect, it } from "vitest";
import { columnSpecs } from "../support/column-specs.js";
import { get, started } from "./support.js";

const service = await started();

it("spec 4.1: dataset data in JSON and CSV", async () => {
  const data = await get(service, "/datasets/WEATHER/SEATTLE/data.json?limit=2");
  expect(data.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(data.json()).toEqual({
    dataset_data: {
      limit: 2,
      transform: null,
      column_index: null,
      column_names: ["Date", "Precipitation", "Temp Max", "Temp Min", "Wind"],
      start_date: "2012-01-01",
      end_date: "2015-12-31",
      frequency: "daily",
      data: [
        ["2015-12-31", 0, 5.6, -2.1, 3.5],
        ["2015-12-30", 0, 5.6, -1, 3.4],
      ],
      collapse: null,
      order: "desc",
    },
  });
  const csv = await get(service, "/datasets/WEATHER/SEATTLE/data.csv?limit=1");
  expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(csv.text).toMatch(/^Date,Precipitation,Temp Max,Temp Min,Wind\n2015-12-31,0(\.0)?,5\.6,-2\.1,3\.5\n$/);
});

it("spec 4.2: parameters slice and are echoed, on both paths", async () => {
  const query = "?column_index=2&start_date=2012-02-01&end_date=2012-03-31&collapse=monthly&order=asc";
  for (const path of ["/datasets/WEATHER/SEATTLE/data.json", "/datasets/WEATHER/SEATTLE.json"]) {
    const { dataset, dataset_data } = (await get(service, path + query)).json() as Record<string, object>;
    expect(dataset ?? dataset_data).toMatchObject({
      column_index: 2,
      start_date: "2012-02-01",
      end_date: "2012-03-31",
      collapse: "monthly",
      transform: null,
      order: "asc",
      limit: null,
      frequency: "daily",
      column_names: ["Date", "Temp Max"],
      data: [
        ["2012-02-29", 5],
        ["2012-03-31", 10],
      ],
    });
  }
  const csv = await get(service, `/datasets/WEATHER/SEATTLE.csv${query}`);
  expect(csv.rows().slice(0, 2)).toEqual([
    ["Date", "Temp Max"],
    ["2012-02-29", expect.stringMatching(/^5(\.0)?$/)],
  ]);
});

it("spec 4.3 and 4.4: metadata, alone and with the data", async () => {
  const metadata = {
    id: 301,
    dataset_code: "CO2",
    database_code: "CLIMATE",
    name: "Carbon dioxide at Mauna Loa, monthly",
    refreshed_at: "2025-01-02T06:00:00Z",
    newest_available_date: "2020-04-01",
    oldest_available_date: "1958-03-01",
    column_names: ["Date", "CO2", "adjusted CO2"],
    frequency: "monthly",
    type: "Time Series",
    premium: false,
  };
  const alone = (await get(service, "/datasets/CLIMATE/CO2/metadata.json")).json() as { dataset: object };
  expect(alone.dataset).toMatchObject(metadata);
  expect(alone.dataset).not.toHaveProperty("database_id");
  const both = (await get(service, "/datasets/CLIMATE/CO2.json?limit=1")).json() as { dataset: object };
  expect(both.dataset).toMatchObject({ ...metadata, database_id: 3, data: [["2020-04-01", 416.18, 413.35]] });
  const [names, cells] = (await get(service, "/datasets/CLIMATE/CO2/metadata.csv")).rows();
  expect(names).toEqual([
    "id",
    "dataset_code",
    "database_code",
    "name",
    "description",
    "refreshed_at",
    "newest_available_date",
    "oldest_available_date",
    "column_names",
    "frequency",
    "type",
    "premium",
  ]);
  expect(cells[5]).toBe("2025-01-02 06:00:00 UTC");
});

it("a month without a value is null in JSON and an empty cell in CSV", async () => {
  const query = "?start_date=1958-06-01&end_date=1958-06-30";
  const { dataset_data } = (await get(service, `/datasets/CLIMATE/CO2/data.json${query}`)).json() as {
    dataset_data: { data: unknown };
  };
  expect(dataset_data.data).toEqual([["1958-06-01", null, null]]);
  expect((await get(service, `/datasets/CLIMATE/CO2/data.csv${query}`)).text).toBe(
    "Date,CO2,adjusted CO2\n1958-06-01,,\n",
  );
});

it("spec 4.5: database metadata, and its downloads are counted", async () => {
  const before = (await get(service, "/databases/LABOR.json")).json() as { database: { downloads: number } };
  expect(before.database).toMatchObject({
    id: 2,
    database_code: "LABOR",
    datasets_count: 1,
    premium: false,
    image: `${service.url}/logos/LABOR.svg`,
  });
  await get(service, "/datasets/LABOR/EMPLOYMENT/data.csv?limit=1");
  const [names, cells] = (await get(service, "/databases/LABOR.csv")).rows();
  expect(names).toEqual([
    "id",
    "name",
    "database_code",
    "description",
    "datasets_count",
    "downloads",
    "premium",
    "image",
  ]);
  expect(Number(cells[5])).toBe(before.database.downloads + 1);
});

it("spec 2.4: the logo behind image, drawn where the catalogue names none", async () => {
  const logo = await fetch(`${service.url}/logos/LABOR.svg`);
  expect([logo.status, logo.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  expect(await logo.text()).toMatch(/^<svg [^>]*aria-label="LABOR">/);
  expect((await fetch(`${service.url}/logos/NONE.svg`)).status).toBe(404);
  expect((await fetch(`${service.url}/logos/%3Cscript%3E.svg`)).status).toBe(404);
});

it("spec 4.7: table rows in JSON and CSV", async () => {
  const query = "?iata=SEA,JFK&qopts.columns=latitude,iata";
  const page = (await get(service, `/datatables/TRANSPORT/AIRPORTS.json${query}`)).text;
  expect(JSON.parse(page)).toEqual({
    datatable: {
      data: [
        [40.63975111, "JFK"],
        [47.44898194, "SEA"],
      ],
      columns: columnSpecs({ latitude: "BigDecimal(11,8)", iata: "String" }),
    },
    meta: { next_cursor_id: null },
  });
  expect((await get(service, `/datatables/TRANSPORT/AIRPORTS.csv${query}`)).text).toBe(
    "latitude,iata\n40.63975111,JFK\n47.44898194,SEA\n",
  );
});

it("spec 4.8: table metadata", async () => {
  const answer = (await get(service, "/datatables/MARKET/PRICES/metadata.json")).json() as { datatable: object };
  expect(answer.datatable).toMatchObject({
    vendor_code: "MARKET",
    datatable_code: "PRICES",
    name: "Seeded market prices, not real",
    filters: ["ticker", "date"],
    primary_key: ["ticker", "date"],
    premium: true,
    status: { refreshed_at: "2025-01-02T06:00:00Z", status: "ON TIME", expected_at: "*", update_frequency: "DAILY" },
  });
  const [names, cells] = (await get(service, "/datatables/MARKET/PRICES/metadata.csv")).rows();
  expect(names).toEqual([
    "vendor_code",
    "datatable_code",
    "name",
    "description",
    "columns",
    "filters",
    "primary_key",
    "premium",
    "status",
  ]);
  expect(JSON.parse(cells[4])).toHaveLength(7);
});

it("spec 4.6: bulk files of a premium database, whole and the latest row of each series", async () => {
  const { zipEntry } = await import("../../src/format/zip.js");
  const bulk = async (type: string) => {
    const answer = await fetch(`${service.url}/api/v3/databases/MARKET/data?download_type=${type}&api_key=sample`);
    expect(answer.headers.get("content-type")).toBe("application/zip");
    expect(answer.headers.get("etag")).toMatch(/^"/);
    const entry = await zipEntry(new Uint8Array(await answer.arrayBuffer()));
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of entry.chunks()) text += decoder.decode(chunk, { stream: true });
    return text.trimEnd().split("\n");
  };
  const full = await bulk("full");
  expect(full[0]).toBe("Code,Date,Open,High,Low,Close,Volume");
  expect(full).toHaveLength(1 + 5 * 6522);
  const partial = await bulk("partial");
  expect(partial).toHaveLength(6);
  expect(partial.slice(1).map((line) => line.slice(0, 14))).toEqual(
    ["AAA", "BBB", "CCC", "DDD", "EEE"].map((code) => `${code},2024-12-31`),
  );
  expect(full).toEqual(expect.arrayContaining(partial));
});

it("answers HEAD as GET without a body", async () => {
  const path = "/datatables/TRANSPORT/AIRPORTS.json?state=WA";
  const whole = await get(service, path, { headers: { "accept-encoding": "identity" } });
  const head = await get(service, path, { method: "HEAD", headers: { "accept-encoding": "identity" } });
  expect([head.status, head.text]).toEqual([200, ""]);
  expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(whole.text)));
  expect(head.headers.get("etag")).toBe(whole.headers.get("etag"));
});

it("compresses replies where that is accepted, and says when nothing changed", async () => {
  const path = "/datatables/TRANSPORT/AIRPORTS.csv";
  const packed = await get(service, path, { headers: { "accept-encoding": "gzip" } });
  const plain = await get(service, path, { headers: { "accept-encoding": "gzip;q=0, *" } });
  expect([packed.headers.get("content-encoding"), plain.headers.get("content-encoding")]).toEqual(["gzip", null]);
  expect(packed.text).toBe(plain.text);
  const etag = plain.headers.get("etag") as string;
  expect(etag).toMatch(/^W\//);
  const again = await get(service, path, { headers: { "if-none-match": etag } });
  expect([again.status, again.text]).toEqual([304, ""]);
  const other = await get(service, `${path}?state=WA`, { headers: { "if-none-match": etag } });
  expect(other.status).toBe(200);
});

it.each([
  ["/datasets/WEATHER/SEATTLE/data", "dataset-data"],
  ["/datasets/WEATHER/SEATTLE", "dataset"],
  ["/datasets/WEATHER/SEATTLE/metadata", "dataset"],
  ["/databases/WEATHER", "database"],
  ["/datatables/TRANSPORT/STRIKES/metadata", "datatable"],
  ["/datatables/TRANSPORT/STRIKES", "datatable"],
  ["/datatables/TRANSPORT/NONE", "error"],
])("%s.xml has the root service-response and %s in it", async (path, element) => {
  const answer = await get(service, `${path}.xml`);
  expect(answer.headers.get("content-type")).toBe("application/xml; charset=utf-8");
  expect(answer.text).toMatch(new RegExp(`^<\\?xml [^>]*\\?>\\s*<service-response>\\s*<${element}>`));
  const { XMLValidator } = await import("fast-xml-parser");
  expect(XMLValidator.validate(answer.text)).toBe(true);
});

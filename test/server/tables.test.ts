import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import Papa from "papaparse";
import { expect, it } from "vitest";
import { type Got, get, sampleOf, started } from "./support.js";

const service = await started();
const data = resolve(import.meta.dirname, "../../notebooks/data");

interface Page {
  readonly datatable: { readonly data: unknown[][]; readonly columns: { name: string }[] };
  readonly meta: { readonly next_cursor_id: string | null };
}

const page = async (path: string): Promise<Page> => (await get(service, path)).json();

/** All pages of a CSV question, the cursor taken from the header. */
async function allCsv(path: string): Promise<{ rows: string[][]; pages: number }> {
  const rows: string[][] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const next: string = cursor === null ? "" : `${path.includes("?") ? "&" : "?"}qopts.cursor_id=${cursor}`;
    const answer: Got = await get(service, path + next);
    expect(answer.status).toBe(200);
    rows.push(...answer.rows().slice(1));
    cursor = answer.headers.get("cursor_id") || null;
    pages++;
  } while (cursor !== null);
  return { rows, pages };
}

it("pages are complete and equal to the source, cell by cell", async () => {
  const source = Papa.parse<string[]>(readFileSync(resolve(data, "transport-flights.csv"), "utf8"), {
    skipEmptyLines: true,
  }).data.slice(1);
  const { rows, pages } = await allCsv("/datatables/TRANSPORT/FLIGHTS.csv");
  expect(pages).toBe(2);
  expect(rows).toEqual(source);
  expect((await allCsv("/datatables/TRANSPORT/FLIGHTS.csv?qopts.per_page=7000")).rows).toEqual(source);
  expect((await allCsv("/datatables/MARKET/PRICES.csv")).pages).toBe(4);
});

it("a page has at most 10,000 rows, and the last one no cursor", async () => {
  const first = await page("/datatables/TRANSPORT/FLIGHTS.json");
  expect([first.datatable.data.length, typeof first.meta.next_cursor_id]).toEqual([10_000, "string"]);
  const last = await page(`/datatables/TRANSPORT/FLIGHTS.json?qopts.cursor_id=${first.meta.next_cursor_id}`);
  expect([last.datatable.data.length, last.meta.next_cursor_id]).toEqual([10_000, null]);
  const exact = await page("/datatables/TRANSPORT/FLIGHTS.json?id.lte=10000");
  expect([exact.datatable.data.length, exact.meta.next_cursor_id]).toEqual([10_000, null]);
});

it("filters: lists, ranges, several columns, all pushed down", async () => {
  const ids = async (query: string) =>
    (await page(`/datatables/TRANSPORT/FLIGHTS.json?qopts.columns=id&${query}`)).datatable.data.flat();
  expect(await ids("id=3,1,2")).toEqual([1, 2, 3]);
  expect(await ids("id.gte=19998&id.lt=20000")).toEqual([19998, 19999]);
  expect(await ids("id.gt=19998.5")).toEqual([19999, 20000]);
  expect(await ids("id=2.5")).toEqual([]);
  expect(await ids("id.lte=2.5&id.gt=-1")).toEqual([1, 2]);
  expect(await ids("id.gte=99999999999999999999999999")).toEqual([]);
  expect(await ids("id.lte=99999999999999999999999999&date=2001-01-01&origin=DTW&destination=LAS")).toEqual([1]);
  const dates = await page("/datatables/MARKET/PRICES.json?ticker=EEE&date.gte=2024-12-27&date.lt=2024-12-31");
  expect(dates.datatable.data.map((row) => row[1])).toEqual(["2024-12-27", "2024-12-30"]);
});

it("filters on decimals and awkward names compare exactly", async () => {
  const count = async (query: string) =>
    (await page(`/datatables/TRANSPORT/AIRPORTS.json?${query}`)).datatable.data.length;
  expect(await count("latitude=47.44898194")).toBe(1);
  expect(await count("latitude=47.448981940")).toBe(1);
  expect(await count("latitude=47.4489819401")).toBe(0);
  expect(await count("latitude.gte=47.4489819399&latitude.lte=47.44898194999")).toBe(1);
  expect(await count("latitude.gt=47.44898194&latitude.lt=47.44898194001")).toBe(0);
  expect(await count("longitude.lt=-170")).toBeGreaterThan(0);
  const strikes = await page(
    `/datatables/TRANSPORT/STRIKES.json?${encodeURIComponent("Cost Total $")}.gte=1000000&qopts.columns=${encodeURIComponent("Cost Total $,id")}`,
  );
  expect(strikes.datatable.columns[0].name).toBe("Cost Total $");
  expect(strikes.datatable.data.length).toBeGreaterThan(0);
  expect(strikes.datatable.data.every(([cost]) => (cost as number) >= 1_000_000)).toBe(true);
});

it("columns come in the order asked for", async () => {
  const answer = await get(service, "/datatables/TRANSPORT/FLIGHTS.csv?qopts.columns=destination,id,origin&id=1");
  expect(answer.text).toBe("destination,id,origin\nLAS,1,DTW\n");
});

it.each([
  ["an unknown column as filter", "?delai=1", 422, "QESx04", /no column "delai".*Did you mean "delay"/],
  ["a column that is not a filter", "?delay=1", 422, "QESx08", /You cannot use delay column as a filter/],
  ["an unknown column to select", "?qopts.columns=id,orign", 422, "QESx04", /Did you mean "origin"/],
  ["a column selected twice", "?qopts.columns=id,id", 422, "QESx04", /twice/],
  ["a bad date", "?date.gte=2001-02-30", 422, "QESx04", /"2001-02-30" is not a valid date/],
  ["a bad number", "?id=one", 422, "QESx04", /whole number/],
  ["an unknown operator", "?id.like=1", 422, "QESx07", /operator "like" is not supported/],
  ["no value", "?origin=", 422, "QESx02", /missing a value after operator 'eq'/],
  ["a made-up cursor", "?qopts.cursor_id=djFfMTAwMF8xNTEx", 400, "QESx06", /cursor/],
  ["a page of no rows", "?qopts.per_page=0", 422, "QESx04", /1 to 10000/],
  ["a page of too many rows", "?qopts.per_page=10001", 422, "QESx04", /1 to 10000/],
])("refuses %s", async (_what, query, status, code, message) => {
  const answer = await get(service, `/datatables/TRANSPORT/FLIGHTS.json${query}`);
  expect(answer.status).toBe(status);
  expect(answer.json()).toEqual({ error: { code, message: expect.stringMatching(message) } });
  const csv = await get(service, `/datatables/TRANSPORT/FLIGHTS.csv${query}`);
  expect(csv.rows()).toEqual([
    ["code", "message"],
    [code, expect.stringMatching(message)],
  ]);
});

it("a cursor belongs to its question", async () => {
  const path = "/datatables/TRANSPORT/FLIGHTS.json?origin=ATL&qopts.per_page=10";
  const cursor = (await page(path)).meta.next_cursor_id as string;
  expect((await page(`${path}&qopts.cursor_id=${cursor}`)).datatable.data).toHaveLength(10);
  expect((await get(service, `${path.replace("=10", "=20")}&qopts.cursor_id=${cursor}`)).status).toBe(200);
  for (const other of [
    path.replace("ATL", "SEA"),
    `${path}&qopts.columns=id`,
    "/datatables/TRANSPORT/AIRPORTS.json?qopts.per_page=10",
  ]) {
    expect((await get(service, `${other}&qopts.cursor_id=${cursor}`)).text).toContain("QESx06");
  }
  const forged = `${cursor.slice(0, -2)}${cursor.endsWith("AA") ? "BB" : "AA"}`;
  expect((await get(service, `${path}&qopts.cursor_id=${forged}`)).text).toContain("QESx06");
  for (const odd of ["", "%00", "a".repeat(500), "..%2f", encodeURIComponent("{}")]) {
    expect((await get(service, `${path}&qopts.cursor_id=${odd}`)).status).toBe(400);
  }
});

it("refuses too many results where the service sets a limit (spec 7)", async () => {
  const small = await started({ data: sampleOf("TRANSPORT/FLIGHTS"), maxResultRows: 5_000 });
  const answer = await get(small, "/datatables/TRANSPORT/FLIGHTS.json");
  expect([answer.status, answer.text]).toEqual([
    422,
    expect.stringMatching(/QELx06.*Apply some filters.*qopts.export=true/),
  ]);
  expect((await get(small, "/datatables/TRANSPORT/FLIGHTS.json?origin=ATL")).status).toBe(200);
});

it("refuses too long a query, and a longer one yet before it is read (spec 7)", async () => {
  const answer = await get(service, `/datatables/TRANSPORT/FLIGHTS.csv?origin=${"ATL,".repeat(2_500)}SEA`);
  expect([answer.status, answer.text]).toEqual([414, expect.stringMatching(/^code,message\nQELx07,.*too long/)]);
  const longer = await get(service, `/datatables/TRANSPORT/FLIGHTS.json?origin=${"ATL,".repeat(25_000)}SEA`);
  expect([longer.status, longer.text]).toEqual([414, expect.stringContaining("QELx07")]);
});

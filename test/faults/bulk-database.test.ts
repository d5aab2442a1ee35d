import { describe, expect, it } from "vitest";
import { zipBytes } from "../zip/archive.js";
import { json, serviceOf } from "./bulk-fixtures.js";
import { fails, server, strong, withOneExport } from "./bulk-service.js";
import { faultServer, ranged } from "./fault-server.js";

withOneExport();

describe("database bulk", () => {
  const BULK = "/api/v3/databases/EOD/data";
  const text = "Code,Date,Open,Close\nAAPL,2024-02-29,1.5,2.5\nMSFT,2024-02-29,,3\n";

  it("Code, the date, then numbers; the answer's redirect is followed without the key", async () => {
    const storage = await faultServer();
    storage.on("/", ranged(zipBytes([{ name: "EOD.csv", data: text }]), strong));
    server.on(BULK, { status: 302, headers: { location: `${storage.url}/EOD.zip` } });
    const frame = await serviceOf(server).database("EOD").bulk("partial").frame();
    expect(frame.columns).toEqual([
      { name: "Code", type: "String" },
      { name: "Date", type: "Date" },
      { name: "Open", type: "double" },
      { name: "Close", type: "double" },
    ]);
    expect([...frame.rows()]).toEqual([
      { Code: "AAPL", Date: "2024-02-29", Open: 1.5, Close: 2.5 },
      { Code: "MSFT", Date: "2024-02-29", Open: null, Close: 3 },
    ]);
    expect(server.seen[0].query.get("download_type")).toBe("partial");
    expect(JSON.stringify(storage.seen)).not.toContain("canary");
    await storage.close();
  });

  it("without a header line the titles come from the metadata of the first series, or are numbered", async () => {
    const bare = text.slice(text.indexOf("\n") + 1);
    server.on(BULK, ranged(zipBytes([{ name: "EOD.csv", data: bare }]), strong));
    const dataset = {
      id: 1,
      dataset_code: "AAPL",
      database_code: "EOD",
      name: "n",
      description: null,
      refreshed_at: null,
      newest_available_date: null,
      oldest_available_date: null,
      column_names: ["Date", "Open", "Close"],
      frequency: "daily",
      type: "Time Series",
      premium: true,
    };
    server.on("/api/v3/datasets/EOD/AAPL/metadata", { headers: json, body: JSON.stringify({ dataset }) });
    const named = await serviceOf(server).database("EOD").bulk().frame();
    expect(named.columns.map(({ name }) => name)).toEqual(["Code", "Date", "Open", "Close"]);
    server.on("/api/v3/datasets/EOD/AAPL/metadata", { status: 404, body: "" });
    const numbered = await serviceOf(server).database("EOD").bulk().frame();
    expect(numbered.columns.map(({ name }) => name)).toEqual(["Code", "Date", "Column 1", "Column 2"]);
    expect(numbered.numRows).toBe(2);
  });

  it("row 15: not a subscriber: the service's message, requested once", async () => {
    server.on(BULK, {
      status: 403,
      headers: json,
      body: '{"error":{"code":"QEPx04","message":"You do not have permission"}}',
    });
    expect(await fails(serviceOf(server).database("EOD").bulk().frame())).toMatchObject({
      name: "ServiceError",
      code: "QEPx04",
      hint: expect.stringContaining("ubscribe"),
    });
    expect(server.count(BULK)).toBe(1);
  });
});

import { afterAll, expect, it } from "vitest";
import { clickhouse } from "../../src/clickhouse.js";
import { changingTable, type Row } from "../client/changing-table.js";
import { mirrorInEngine } from "../client/mirror-in-engine.js";
import { serviceOf } from "../faults/bulk-fixtures.js";
import { testServer } from "./server.js";

const server = await testServer();
const guarded = await testServer("password-0123456789abcdef");
afterAll(() => Promise.all([server.stop(), guarded.stop()]));

mirrorInEngine("ClickHouse", async () => ({ target: await clickhouse(server.address) }));
mirrorInEngine("ClickHouse by its address, whose password is not shown", async () => {
  const target = guarded.address.replace("http:", "clickhouse:");
  return { target, place: "clickhouse://127.0.0.1/tests" };
});

it("repairs a copy that was dropped or lost rows, and looks past dates in the future", async () => {
  const { server: service, set } = await changingTable();
  const target = await clickhouse(server.address);
  /** The table that the manifest names. */
  const rowsTable = async (): Promise<string> => {
    const { table } = await target.query(`select state from "arrowbook_mirrors" final where code = 'V/T'`);
    return JSON.parse(String(table.getChild("state")?.get(0))).logs[0].rows[0].name;
  };
  const future: Row = ["AAA", "2024-01-01", "1.0000", "2099-12-31"];
  try {
    await target.query('drop table if exists "V/T"');
    await target.query('drop table if exists "arrowbook_mirrors"');
    set([future, ["BBB", "2024-01-01", "1.0000", "2024-02-01"]], "2024-02-01T12:00:00Z");
    const mirror = await serviceOf(service).table("V/T").mirror(target, { since: "changed" });
    for (const statement of ['drop table "rows"', `delete from "rows" where ticker = 'AAA'`]) {
      await target.query(statement.replace("rows", await rowsTable()));
      await expect(mirror.frame()).rejects.toMatchObject({ code: "BadMirror" });
      expect(await mirror.sync()).toMatchObject({ change: "export", rows: 2 });
      expect((await mirror.frame()).numRows).toBe(2);
    }
    set([future, ["BBB", "2024-01-01", "2.0000", "2024-02-02"]], "2024-02-02T12:00:00Z");
    expect(await mirror.sync()).toMatchObject({ change: "since", rows: 2, received: 2 });
    expect((await mirror.frame({ where: { ticker: "BBB" } })).toCSV()).toContain("2.0000");
  } finally {
    await target.close();
    await service.close();
  }
});

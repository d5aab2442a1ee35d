import { expect, it } from "vitest";
import type { MirrorOptions } from "../../src/client/mirror/mirror.js";
import type { MirrorTarget } from "../../src/client/mirror/place-at.js";
import type { Frame } from "../../src/frame/frame.js";
import { serviceOf } from "../faults/bulk-fixtures.js";
import { changingTable, type Row } from "./changing-table.js";

const ROWS: readonly Row[] = [
  ["AAA", "2022-03-01", "10.5000", "2022-03-02"],
  ["AAA", "2023-03-01", "11.2500", "2023-03-02"],
  ["bbb", "2023-03-01", "0.0001", "2023-03-02"],
  ["BBB", "2024-03-01", "99999999999.9999", "2024-03-02"],
];
const cells = (frame: Frame): string[] => frame.toCSV().trim().split("\n").slice(1).sort();
const expected = (rows: readonly Row[]): string[] => rows.map((row) => row.join(",")).sort();

/** Holds a mirror in an engine, or in a place that is opened as one, to what a mirror promises. */
export function mirrorInEngine(
  name: string,
  open: () => Promise<{ readonly target: MirrorTarget; readonly place?: string }>,
): void {
  it(`keeps a copy in ${name}`, async () => {
    const { server, set, rowRequests } = await changingTable();
    const { target, place = "a SQL engine" } = await open();
    const openIn = (options?: MirrorOptions) => serviceOf(server).table("V/T").mirror(target, options);
    try {
      set(ROWS, "2024-04-01T00:00:00Z");
      const mirror = await openIn({ since: "changed" });
      expect(mirror.place).toBe(place);
      expect(cells(await mirror.frame())).toEqual(expected(ROWS));
      const requests = rowRequests();
      expect(await mirror.sync()).toMatchObject({ change: "none", rows: 4 });
      expect(rowRequests()).toBe(requests);

      const corrected: Row = ["AAA", "2023-03-01", "12.0000", "2024-04-02"];
      const rows = [ROWS[0], corrected, ROWS[2], ROWS[3]];
      set(rows, "2024-04-02T00:00:00Z");
      expect(await mirror.sync()).toMatchObject({ change: "since", received: 2, rows: 4 });
      expect(cells(await mirror.frame())).toEqual(expected(rows));

      const some = await mirror.frame({
        columns: ["close", "ticker"],
        where: { ticker: ["AAA", "bbb"], date: { gte: "2023-01-01", lt: new Date("2024-01-01") } },
      });
      expect(cells(some)).toEqual(["0.0001,bbb", "12.0000,AAA"]);
      expect(some.columns.map(({ type }) => type)).toEqual(["BigDecimal(15,4)", "String"]);
      const best = "select ticker, max(close) as close from this where date > $1 group by ticker";
      for (const text of [best, `WITH best AS (${best}) SELECT * FROM best`]) {
        const found = cells(await mirror.sql(text, { params: ["2023-01-01"] }));
        expect(found).toEqual(["AAA,12.0000", "BBB,99999999999.9999", "bbb,0.0001"]);
      }

      const stop = new AbortController();
      const stopped = mirror.sql(best, { params: ["2023-01-01"], signal: stop.signal });
      stop.abort(new Error("enough"));
      await expect(stopped).rejects.toThrow("enough");

      const before = server.seen.length;
      const again = await openIn({ since: "changed" });
      expect(again.refreshedAt).toBe("2024-04-02T00:00:00Z");
      expect(server.seen.length).toBe(before);

      set([...rows, ["AAA", "not a date", "1.0000", "2024-04-03"]], "2024-04-03T00:00:00Z");
      await expect(again.sync()).rejects.toMatchObject({ name: "DataError" });
      expect(cells(await again.frame())).toEqual(expected(rows));
    } finally {
      if (typeof target !== "string" && "close" in target) await (target.close as () => Promise<void>)();
      await server.close();
    }
  });
}

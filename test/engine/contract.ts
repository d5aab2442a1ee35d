import { Float64, Schema, Table, tableFromArrays, Utf8, type Vector, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cellTexts } from "../../src/columns/arrow/cell-batch.js";
import type { Engine } from "../../src/engine/contract/engine.js";
import { Frame } from "../../src/frame/frame.js";
import { forAllAsync } from "../support/for-all.js";
import { type AnyCells, anyRow, everyType, tableOfRows } from "./tables.js";

/** An engine that must keep the contract. */
export interface EngineUnderTest {
  readonly name: string;
  readonly open: () => Promise<Engine>;
  /** A query of 200,000 rows: a column `i` of integers and a column `t` of text. */
  readonly long: string;
  /** A query that runs for minutes. */
  readonly endless: string;
  /** A query of the names of all tables, also of those that loads keep for themselves. */
  readonly allTables: string;
  /** Runs of the generators. */
  readonly runs: number;
}

/** The promises of `Engine`, the same for every engine. */
export function engineContract({ name, open, long, endless, allTables, runs }: EngineUnderTest): void {
  describe(`${name} as an engine`, () => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await open();
    });
    afterAll(() => engine?.close());

    const column = async (sql: string, params?: readonly unknown[]): Promise<unknown[]> => {
      const table = await engine.query(sql, params);
      return table.batches.flatMap((batch) => [...cellTexts(batch)].map(([cell]) => cell));
    };
    const rows = (k: (number | null)[], v: string[]) =>
      new Table({ k: vectorFromArray(k, new Float64()), v: vectorFromArray(v, new Utf8()) });
    async function* failing() {
      yield* rows([9], ["x"]).batches;
      throw new Error("the source failed");
    }

    it("loads every type exactly, and verify finds the rows equal", async () => {
      const table = everyType();
      expect(await engine.load("every type", table)).toEqual({ rows: 5 });
      expect(await engine.verify("every type", table)).toMatchObject({ equal: true, rows: 5, expectedRows: 5 });
      const back = await engine.query('SELECT * FROM "every type"');
      expect(back.schema.fields.map((field) => field.name)).toEqual(table.schema.fields.map((field) => field.name));
      const texts = (from: Table) =>
        from.batches.flatMap((batch) => [...cellTexts(batch)].map((cells) => cells.join("|")));
      expect(texts(back).sort()).toEqual(texts(table).sort());
    });

    it("any rows are read back equal; verify names the column of any other cell", async () => {
      await forAllAsync(
        runs,
        fc.array(anyRow, { minLength: 1, maxLength: 12 }),
        anyRow,
        fc.nat(),
        async (cells, other, at) => {
          const table = tableOfRows(cells);
          await engine.load("generated", table);
          expect(await engine.verify("generated", table)).toMatchObject({ equal: true, rows: cells.length });
          const names = Object.keys(other) as (keyof AnyCells)[];
          const changed = names[at % names.length];
          fc.pre(!Object.is(cells[0][changed], other[changed]));
          const found = await engine.verify(
            "generated",
            tableOfRows([{ ...cells[0], [changed]: other[changed] }, ...cells.slice(1)]),
          );
          expect(found.equal).toBe(false);
          expect(found.columns.filter((each) => !each.equal).map((each) => each.name)).toEqual([changed]);
        },
      );
    });

    it("verify finds lost, doubled and exchanged rows", async () => {
      await engine.load("judged", rows([1, 2, 3], ["a", "b", "c"]));
      expect(await engine.verify("judged", rows([3, 1, 2], ["c", "a", "b"]))).toMatchObject({ equal: true });
      expect(await engine.verify("judged", rows([1, 2], ["a", "b"]))).toMatchObject({ equal: false, expectedRows: 2 });
      expect(await engine.verify("judged", rows([1, 2, 3, 3], ["a", "b", "c", "c"]))).toMatchObject({ equal: false });
      const exchanged = await engine.verify("judged", rows([1, 2, 3], ["b", "a", "c"]));
      expect([exchanged.equal, exchanged.columns.every((each) => each.equal)]).toEqual([false, true]);
    });

    it("takes Frames, tables, record batches and streams, also an empty one with a schema", async () => {
      const table = rows([1, 2], ["a", "b"]);
      await engine.load("from frame", Frame.from(table));
      await engine.load("from batches", table.batches);
      async function* stream() {
        for (const part of [table.slice(0, 1), table.slice(1)]) yield* part.batches;
      }
      expect(await engine.load("from stream", stream())).toEqual({ rows: 2 });
      for (const from of ["frame", "batches", "stream"]) {
        expect(await engine.verify(`from ${from}`, table)).toMatchObject({ equal: true, rows: 2 });
      }
      async function* nothing() {}
      expect(await engine.load("empty", nothing(), { schema: table.schema })).toEqual({ rows: 0 });
      expect((await engine.query("SELECT k, v FROM empty")).schema.fields.map((field) => field.name)).toEqual([
        "k",
        "v",
      ]);
      await expect(engine.load("empty", nothing())).rejects.toMatchObject({ code: "NoSchema" });
      await expect(engine.load("empty", new Table(new Schema([])))).rejects.toMatchObject({ code: "NoColumns" });
      const other = new Table({ k: vectorFromArray([1], new Float64()) });
      await expect(engine.load("empty", [...table.batches, ...other.batches])).rejects.toMatchObject({
        code: "SchemaMismatch",
      });
    });

    it("replace, append and upsert", async () => {
      const values = (table: string) => column(`SELECT v FROM ${table} ORDER BY k, v`);
      await engine.load("modes", rows([1, 2], ["a", "b"]), { mode: "append" });
      await engine.load("modes", rows([2], ["c"]), { mode: "append" });
      expect(await values("modes")).toEqual(["a", "b", "c"]);
      await engine.load("modes", rows([5], ["e"]));
      expect(await values("modes")).toEqual(["e"]);
      await engine.load("keyed", rows([1, 2], ["a", "b"]), { key: "k" });
      await engine.load("keyed", rows([2, 3], ["B", "c"]), { key: ["k"], mode: "upsert" });
      expect(await values("keyed")).toEqual(["a", "B", "c"]);
      await engine.load("keyed", rows([3, 4], ["C", "d"]), { key: ["k"], mode: "append" });
      expect(await values("keyed")).toEqual(["a", "B", "C", "d"]);
      expect(await engine.verify("keyed", rows([1, 2, 3, 4], ["a", "B", "C", "d"]))).toMatchObject({ equal: true });
      await engine.load("fresh", rows([1], ["a"]), { key: "k", mode: "upsert" });
      expect(await values("fresh")).toEqual(["a"]);
      expect(await column("SELECT count(*) AS n FROM keyed")).toEqual(["4"]);
    });

    it.each([
      ["replace", undefined],
      ["replace", "k"],
      ["append", undefined],
      ["append", "k"],
      ["upsert", "k"],
    ] as const)(
      "first loads of one table at once (%s, key %s) all succeed; nothing is doubled or left",
      async (mode, key) => {
        const name = `at once ${mode} ${key}`;
        const LOADS = 4;
        const before = (await column(allTables)).length;
        let waiting = 0;
        let open = (): void => undefined;
        const all = new Promise<void>((resolve) => (open = resolve));
        // The second batch comes when every load has found that there is no table.
        async function* together(load: number) {
          yield* rows([1, 10 + load], [`shared ${load}`, `own ${load}`]).batches;
          if (++waiting === LOADS) open();
          await all;
          yield* rows([100 + load], ["last"]).batches;
        }
        const loads = Array.from({ length: LOADS }, (_, i) => engine.load(name, together(i), { mode, key }));
        expect(await Promise.all(loads)).toEqual(Array.from({ length: LOADS }, () => ({ rows: 3 })));
        expect((await column(allTables)).length).toBe(before + 1);
        const found = await engine.query(`SELECT k, v FROM ${engine.dialect.quoteName(name)} ORDER BY k, v`);
        const cells = found.batches.flatMap((batch) => [...cellTexts(batch)].map(([k, v]) => `${Number(k)} ${v}`));
        const isSharedBy = cells.filter((cell) => cell.includes("shared")).map((cell) => cell.at(-1));
        const own = [0, 1, 2, 3].map((i) => `1${i} own ${i}`);
        const last = [0, 1, 2, 3].map((i) => `10${i} last`);
        if (mode === "replace") {
          const [winner] = isSharedBy;
          expect(cells).toEqual([`1 shared ${winner}`, `1${winner} own ${winner}`, `10${winner} last`]);
        } else {
          expect(cells.filter((cell) => !cell.includes("shared"))).toEqual([...own, ...last]);
          if (key === undefined) expect(isSharedBy).toEqual(["0", "1", "2", "3"]);
          else expect(isSharedBy).toHaveLength(1);
        }
      },
    );

    it("adds only rows of the table's columns and types: nothing is rounded, cast or filled in", async () => {
      const decimals = (value: string, type: string) =>
        Frame.fromRows(
          [{ k: 1, close: value }],
          [
            { name: "k", type: "double" },
            { name: "close", type },
          ],
        );
      await engine.load("scaled", decimals("1.9999", "BigDecimal(15,4)"), { key: "k" });
      const other = [
        decimals("1.99999", "BigDecimal(15,5)"),
        decimals("1.9", "BigDecimal(15,1)"),
        decimals("1.9999", "BigDecimal(38,4)"),
        decimals("1.9999", "double"),
        decimals("1.9999", "String"),
        rows([2], ["a"]),
        decimals("1.9999", "BigDecimal(15,4)").select("k"),
      ];
      for (const frame of other) {
        for (const options of [{ mode: "append" }, { mode: "upsert", key: "k" }] as const) {
          await expect(engine.load("scaled", frame, options)).rejects.toMatchObject({ code: "WrongTable" });
        }
      }
      expect(await engine.verify("scaled", decimals("1.9999", "BigDecimal(15,4)"))).toMatchObject({ equal: true });
      await engine.load("wide", decimals("1.5", "BigDecimal(50,28)"));
      await engine.load("wide", decimals("2.5", "BigDecimal(50,28)"), { mode: "append" });
      for (const type of ["BigDecimal(50,20)", "String"]) {
        const load = engine.load("wide", decimals("1.5", type), { mode: "append" });
        await expect(load).rejects.toMatchObject({ code: "WrongTable" });
      }
      expect(await engine.query("SELECT * FROM wide")).toMatchObject({ numRows: 2 });
    });

    it("refuses repeated and null keys, wrong keys and options, without effect", async () => {
      await engine.load("guarded", rows([1, 2], ["a", "b"]), { key: "k" });
      const refused = (load: Promise<unknown>, code: string) => expect(load).rejects.toMatchObject({ code });
      await refused(engine.load("guarded", rows([7, 7], ["x", "y"]), { key: "k" }), "EngineData");
      await refused(engine.load("guarded", rows([null], ["x"]), { key: "k" }), "EngineData");
      await refused(engine.load("guarded", rows([8, 8], ["x", "y"]), { key: "k", mode: "upsert" }), "EngineData");
      await refused(engine.load("guarded", rows([null], ["x"]), { key: "k", mode: "upsert" }), "EngineData");
      await refused(engine.load("guarded", rows([1], ["x"]), { key: "v", mode: "upsert" }), "WrongKey");
      await refused(engine.load("guarded", rows([1], ["x"]), { mode: "upsert" }), "BadArgument");
      await refused(engine.load("guarded", rows([1], ["x"]), { key: "K" }), "UnknownColumn");
      await refused(engine.load("guarded", rows([1], ["x"]), { keys: "k" } as never), "UnknownOption");
      await refused(engine.load("guarded", rows([1], ["x"]), { mode: "add" } as never), "UnknownValue");
      await engine.load("unkeyed", rows([1, 1], ["a", "b"]));
      await refused(engine.load("unkeyed", rows([1], ["x"]), { key: "k", mode: "upsert" }), "WrongKey");
      expect(await engine.verify("guarded", rows([1, 2], ["a", "b"]))).toMatchObject({ equal: true });
      expect(await engine.verify("unkeyed", rows([1, 1], ["a", "b"]))).toMatchObject({ equal: true });
    });

    it("a load that fails or is stopped leaves the old table and nothing else, in every mode", async () => {
      await engine.load("safe", rows([1, 2], ["a", "b"]), { key: "k" });
      const before = await engine.tables();
      async function* stuck(): AsyncGenerator<never> {
        yield* rows([9], ["x"]).batches as never[];
        await new Promise(() => undefined);
      }
      for (const mode of ["replace", "append", "upsert"] as const) {
        await expect(engine.load("safe", failing(), { key: "k", mode })).rejects.toThrow("the source failed");
        const stop = new AbortController();
        setTimeout(() => stop.abort(new Error("stopped by the test")), 50);
        await expect(engine.load("safe", stuck(), { key: "k", mode, signal: stop.signal })).rejects.toThrow(
          "stopped by the test",
        );
        const early = engine.load("safe", rows([9], ["x"]), { key: "k", mode, signal: AbortSignal.abort() });
        await expect(early).rejects.toMatchObject({ name: "AbortError" });
        await expect(engine.load("not there", failing(), { key: "k", mode })).rejects.toThrow("the source failed");
      }
      expect(await engine.tables()).toEqual(before);
      expect(await engine.verify("safe", rows([1, 2], ["a", "b"]))).toMatchObject({ equal: true });
    });

    it("lists its tables and takes awkward names", async () => {
      const awkward = ["a $1", 'quote"d', "it's", "Größe 大", "semi;colon", "back`tick", "--dash", "per%cent"];
      for (const name of awkward) {
        await engine.load(
          name,
          new Table({ 'c"o $1': vectorFromArray([1], new Float64()), "'": vectorFromArray(["x"], new Utf8()) }),
        );
        expect(await engine.verify(name, tableFromArrays({ 'c"o $1': Float64Array.of(1) }))).toMatchObject({
          equal: true,
        });
      }
      const tables = await engine.tables();
      for (const name of awkward) expect(tables).toContain(name);
      expect(tables).toEqual([...tables].sort());
    });

    it("binds parameters of every kind, also beside literals and comments that look like one", async () => {
      const one = async (type: string, value: unknown): Promise<unknown> =>
        (await column(`SELECT CAST($1 AS ${type}) AS v`, [value]))[0];
      const awkward = 'it\'s \\ "quoted" $2 \n\t\\N {p1:String}';
      expect(await one("VARCHAR", awkward)).toBe(awkward);
      expect(await one("VARCHAR", "")).toBe("");
      expect(await one("DOUBLE", 0.1)).toBe("0.1");
      expect(await one("BIGINT", -5)).toBe("-5");
      expect(await one("BIGINT", 2n ** 63n - 1n)).toBe("9223372036854775807");
      expect(await one("BOOLEAN", true)).toBe("true");
      expect(await column("SELECT '$1' AS v -- $2\n WHERE $1 = 'x' /* $3 */", ["x"])).toEqual(["$1"]);
      await engine.load("bound", rows([1, 2, 3], ["a", "b", "c"]));
      expect(await column("SELECT v FROM bound WHERE k >= $2 AND v <> $1 ORDER BY k", ["b", 2])).toEqual(["c"]);
      expect(
        await column("SELECT v FROM bound WHERE coalesce(v, $1) = v AND $1 IS NULL ORDER BY v", [null]),
      ).toHaveLength(3);
      for (const params of [[undefined], "A", { t: "A" }]) {
        await expect(engine.query("SELECT 1 WHERE 1 = $1", params as never)).rejects.toMatchObject({
          code: "BadArgument",
        });
      }
    });

    it("streams batches of at most 65,536 rows; a result may be left early, and many run at once", async () => {
      const sizes: number[] = [];
      for await (const batch of engine.batches(long)) sizes.push(batch.numRows);
      expect(sizes.reduce((a, b) => a + b)).toBe(200_000);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536);
      for await (const batch of engine.batches(long)) {
        expect(batch.schema.fields.map((field) => field.name)).toEqual(["i", "t"]);
        break;
      }
      const lent = { mostRows: 200_000, allocate: (bytes: number) => new Uint8Array(bytes).fill(0xaa) };
      const texts: string[] = [];
      for await (const batch of engine.batches(long, [], lent))
        for (const cells of cellTexts(batch)) texts.push(cells[0] ?? "");
      expect(new Set(texts).size).toBe(200_000);
      const counts = await Promise.all(
        Array.from({ length: 4 }, async () => {
          let count = 0;
          for await (const batch of engine.batches(long)) count += batch.numRows;
          return count;
        }),
      );
      expect(counts).toEqual([200_000, 200_000, 200_000, 200_000]);
      expect((await engine.query(`SELECT * FROM (${long}) WHERE i < 0`)).schema.fields).toHaveLength(2);
    });

    it("a stopped query and a stopped result reject with the reason", async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(new Error("enough")), 200);
      await expect(engine.query(endless, [], { signal: stop.signal })).rejects.toThrow("enough");
      const again = new AbortController();
      const read = async (): Promise<void> => {
        for await (const batch of engine.batches(long, [], { signal: again.signal })) {
          expect(batch.numRows).toBeGreaterThan(0);
          again.abort(new Error("seen enough"));
        }
      };
      await expect(read()).rejects.toThrow("seen enough");
      await expect(engine.query("SELECT 1", [], { signal: AbortSignal.abort() })).rejects.toMatchObject({
        name: "AbortError",
      });
      expect(await column("SELECT 1 AS one")).toEqual(["1"]);
    });

    it.each([
      ["query", (signal: AbortSignal) => engine.query(endless, [], { signal })],
      ["batches", (signal: AbortSignal) => engine.batches(endless, [], { signal }).next()],
    ] as const)("an abort just after the start of %s() ends the statement", async (_, start) => {
      const stop = new AbortController();
      const result = start(stop.signal);
      stop.abort(new Error("at once"));
      await expect(result).rejects.toThrow("at once");
    });

    it("says what is wrong with a statement, a table or a type", async () => {
      const wrong = (sql: string) =>
        expect(engine.query(sql)).rejects.toMatchObject({ name: "InputError", code: "BadStatement" });
      await wrong("SELEC 1");
      await wrong("SELECT * FROM nowhere");
      await wrong("SELECT nothing FROM (SELECT 1 AS one)");
      await expect(engine.batches("SELEC 1").next()).rejects.toMatchObject({ code: "BadStatement" });
      await expect(engine.verify("nowhere", rows([1], ["a"]))).rejects.toMatchObject({ code: "BadStatement" });
      const nested = new Table({ list: vectorFromArray([[1, 2]]) as Vector });
      await expect(engine.load("nested", nested)).rejects.toMatchObject({ code: "UnsupportedType", column: "list" });
    });

    it("a closed engine refuses every call", async () => {
      const other = await open();
      await other.close();
      await other.close();
      const closed = { code: "EngineClosed" };
      await expect(other.query("SELECT 1")).rejects.toMatchObject(closed);
      await expect(other.batches("SELECT 1").next()).rejects.toMatchObject(closed);
      await expect(other.load("t", rows([1], ["a"]))).rejects.toMatchObject(closed);
      await expect(other.tables()).rejects.toMatchObject(closed);
      await expect(other.verify("t", rows([1], ["a"]))).rejects.toMatchObject(closed);
    });
  });
}

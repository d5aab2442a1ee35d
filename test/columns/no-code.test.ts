import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { csvTable } from "../../src/columns/csv/reader.js";
import { jsonRowsTable } from "../../src/columns/json/reader.js";
import { csvText } from "../../src/format/csv-text.js";
import { packageRoot } from "../../src/package/package-root.js";
import { chunked, streamed, textsOf, utf8 } from "./rows.js";

// As under `node --disallow-code-generation-from-strings`, and where WebAssembly may not be compiled.
beforeAll(() => {
  class CompileError extends Error {}
  const Module = class {
    constructor() {
      throw new CompileError("Wasm code generation disallowed by embedder");
    }
  };
  vi.stubGlobal("WebAssembly", { CompileError, Module });
  const refuse = (): never => {
    throw new EvalError("Code generation from strings disallowed for this context");
  };
  vi.stubGlobal("Function", new Proxy(Function, { construct: refuse, apply: refuse }));
});
afterAll(() => vi.unstubAllGlobals());

const columns = ["String", "Date", "BigDecimal(15,4)", "double", "Integer", "Boolean"].map((type) => ({
  name: type,
  type,
}));
const cell = (...texts: string[]): fc.Arbitrary<string | null> => fc.option(fc.constantFrom(...texts));
const row = fc.tuple(
  cell("", "x", "a,b", '"', "é"),
  cell("2024-02-29"),
  cell("-12.3400", "99999999999.9999", "0.0000"),
  cell("0.1", "1e+300", "-5.0"),
  cell("7", "-9223372036854775808"),
  cell("true", "false"),
);

it("where code may not be generated, the same rows are read", async () => {
  expect(() => new Function("return 1")).toThrow(EvalError);
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 8 }), fc.integer({ min: 1, max: 30 }), async (rows, size) => {
      const csv = utf8(csvText(rows));
      expect(textsOf(csvTable(csv, { columns, header: false }))).toEqual(rows);
      expect(await streamed(chunked(csv, size), { columns, header: false })).toEqual(rows);
      // Long enough for the reader of blocks.
      const many = Array.from({ length: rows.length > 0 ? Math.ceil(1_000 / rows.length) : 0 }, () => rows).flat();
      expect(textsOf(csvTable(utf8(csvText(many)), { columns, header: false }))).toEqual(many);
      const json = utf8(JSON.stringify(rows));
      expect(textsOf(jsonRowsTable(json, 0, json.length, columns))).toEqual(rows);
    }),
    { seed: 21, numRuns: 60 },
  );
});

it.each([10, 40])("where WebAssembly gets %i pages of memory, which is too little, the same rows are read", (pages) => {
  const script = `import("arrowbook").then(async ({ Frame }) => {
    const csv = Array.from({ length: 5000 }, (_, i) => "t" + i + "," + i + ".25\\n").join("");
    const columns = [{ name: "t", type: "String" }, { name: "x", type: "BigDecimal(15,4)" }];
    const frame = await Frame.fromCSV(Buffer.from(csv), { columns, header: false });
    process.stdout.write([frame.numRows, frame.column("t").toStrings()[4999], frame.column("x").toStrings()[4999]].join(" "));
  })`;
  const printed = execFileSync(process.execPath, [`--wasm-max-mem-pages=${pages}`, "-e", script], {
    cwd: packageRoot(),
  });
  expect(printed.toString()).toBe("5000 t4999 4999.2500");
});

it.each([["--wasm-max-mem-pages=1"], ["--no-expose-wasm"]])("with %s, the same Parquet files are read", (flag) => {
  const script = `import("arrowbook").then(async ({ Frame }) => {
    const { tmpdir } = require("node:os");
    const path = require("node:path").join(tmpdir(), "arrowbook-no-wasm-" + process.pid + ".parquet");
    const rows = Array.from({ length: 3000 }, (_, i) => ({ t: "t" + (i % 9), n: i * 7, p: i + ".25", x: "text text " + i }));
    const columns = [["t", "String"], ["n", "Integer"], ["p", "BigDecimal(15,4)"], ["x", "Text"]];
    const frame = Frame.fromRows(rows, columns.map(([name, type]) => ({ name, type })));
    await frame.toParquet(path, { compression: "snappy" });
    const back = await Frame.fromParquet(path);
    require("node:fs").rmSync(path);
    process.stdout.write(String(back.toCSV() === frame.toCSV()) + " " + typeof WebAssembly);
  })`;
  const printed = execFileSync(process.execPath, [flag, "-e", script], { cwd: packageRoot() });
  expect(printed.toString()).toMatch(flag.includes("expose") ? "true undefined" : "true object");
});

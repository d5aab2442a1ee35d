import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import zlib from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { csvTable } from "../../src/columns/csv/reader.js";
import { jsonRowsTable } from "../../src/columns/json/reader.js";
import { csvText } from "../../src/format/csv-text.js";
import { Frame } from "../../src/frame/frame.js";
import { packageRoot } from "../../src/package/package-root.js";
import { chunked, streamed, textsOf, utf8 } from "./rows.js";

// Where WebAssembly may not be compiled.
beforeAll(() => {
  class CompileError extends Error {}
  const Module = class {
    constructor() {
      throw new CompileError("Wasm code generation disallowed by embedder");
    }
  };
  vi.stubGlobal("WebAssembly", { CompileError, Module });
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

it("where WebAssembly may not be compiled, the same rows are read", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 8 }), fc.integer({ min: 1, max: 30 }), async (rows, size) => {
      const csv = utf8(csvText(rows));
      expect(textsOf(csvTable(csv, { columns, header: false }))).toEqual(rows);
      expect(await streamed(chunked(csv, size), { columns, header: false })).toEqual(rows);
      // Long enough for the reader of blocks.
      const many = Array.from({ length: rows.length > 0 ? Math.ceil(1_000 / rows.length) : 0 }, () => rows).flat();
      expect(textsOf(csvTable(utf8(csvText(many)), { columns, header: false }))).toEqual(many);
      for (const some of [rows, many]) {
        const json = utf8(JSON.stringify(some));
        expect(textsOf(jsonRowsTable(json, 0, json.length, columns))).toEqual(some);
      }
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

it("where neither WebAssembly nor Node has zstd, a Parquet file of it is refused with what to change", async () => {
  const path = join(tmpdir(), `arrowbook-zstd-${process.pid}.parquet`);
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run(`copy (select i, 'text ' || i t from range(99) t(i)) to '${path}' (format parquet, codec zstd)`);
  connection.closeSync();
  const script = `import("arrowbook").then(async ({ Frame }) => {
    const read = await Frame.fromParquet(${JSON.stringify(path)}).catch((error) => error);
    process.stdout.write(read instanceof Error ? [read.code, read.message, read.hint].join("|") : String(read.numRows));
  })`;
  try {
    const printed = execFileSync(process.execPath, ["--no-expose-wasm", "-e", script], { cwd: packageRoot() });
    const hasZstd = "zstdDecompressSync" in zlib;
    const refused = `UnsupportedParquet|${path}: column "i" of row group 0: zstd needs WebAssembly, or Node 22.15 or newer.|Use a newer version of Node.`;
    expect(printed.toString()).toBe(hasZstd ? "99" : refused);
  } finally {
    rmSync(path);
  }
});

it("reads other dialects of CSV, and says what zstd needs", async () => {
  const text = `a;b\n${"1,5;'x;y'\n".repeat(5000)}`;
  const options = { columns: "header", delimiter: ";", quote: "'" } as const;
  const frame = await Frame.fromCSV(utf8(text), options);
  expect(frame.numRows).toBe(5000);
  expect(frame.tail(1).toArray()).toEqual([{ a: "1,5", b: "x;y" }]);
  // `a\n1\n`, compressed.
  const packed = Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x04, 0x21, 0, 0, 97, 10, 49, 10]);
  const read = Frame.fromCSV(packed, { columns: "infer" });
  if ("zstdDecompressSync" in zlib) expect((await read).toArray()).toEqual([{ a: 1 }]);
  else await expect(read).rejects.toMatchObject({ code: "BadZstd", hint: expect.stringContaining("22.15") });
});

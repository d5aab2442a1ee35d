import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import zlib from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { packageRoot } from "../../src/package/package-root.js";

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

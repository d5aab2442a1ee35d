import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { packageRoot } from "../../src/package/package-root.js";
import { longIt } from "../support/whole.js";

longIt.each([10, 40])(
  "where WebAssembly gets %i pages of memory, which is too little, the same rows are read",
  (pages) => {
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
  },
);

longIt("where WebAssembly gets no memory, a Parquet file is refused with the reason", () => {
  const script = `import("arrowbook").then(async ({ Frame }) => {
    const path = require("node:path").join(require("node:os").tmpdir(), "arrowbook-no-memory-" + process.pid + ".parquet");
    const rows = Array.from({ length: 20_000 }, (_, n) => ({ n }));
    await Frame.fromRows(rows, [{ name: "n", type: "Integer" }]).toParquet(path, { compression: "none" });
    const error = await Frame.fromParquet(path).catch((error) => error);
    require("node:fs").rmSync(path);
    process.stdout.write([error.code, error.message.includes("there is no memory for a page")].join(" "));
  })`;
  const printed = execFileSync(process.execPath, ["--wasm-max-mem-pages=1", "-e", script], { cwd: packageRoot() });
  expect(printed.toString()).toBe("BadParquet true");
});

it.each(["arrowbook", "arrowbook/duckdb"])(
  "without WebAssembly, the import of %s is an error that says so",
  (entry) => {
    const script = `import("${entry}").catch((error) => process.stdout.write(error.message))`;
    const printed = execFileSync(process.execPath, ["--no-expose-wasm", "-e", script], { cwd: packageRoot() });
    expect(printed.toString()).toMatch(/^arrowbook needs WebAssembly, which is missing or forbidden in this process\./);
  },
);

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { packageRoot } from "../../src/package/package-root.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder("import");

it("importing the package loads no native library, and no module of Node that few programs need", () => {
  const script = join(folder, "script.mjs");
  const slow = ["crypto", "http", "https", "tls", "net", "tty", "worker_threads", "child_process"];
  writeFileSync(
    script,
    `await import(${JSON.stringify(pathToFileURL(join(packageRoot(), "dist/esm/index.js")))});
    const loaded = ${JSON.stringify(slow)}.filter((name) => process.moduleLoadList.includes("NativeModule " + name));
    const libraries = process.report.getReport().sharedObjects.filter((path) => path.endsWith(".node"));
    process.stdout.write(JSON.stringify({ libraries, loaded }));`,
  );
  expect(JSON.parse(execFileSync(process.execPath, [script]).toString())).toEqual({ libraries: [], loaded: [] });
});

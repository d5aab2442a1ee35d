import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";
import { needBuild } from "./build.js";

/* `arrowbook kernel types` as an editor's compiler reads what it wrote. */
const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = temporaryFolder("editor");

beforeAll(() => {
  needBuild();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules", "arrowbook"), "dir");
});

const types = (...words: string[]): string => {
  const env = { ...process.env, ARROWBOOK_URL: "" };
  const args = [join(root, "dist/esm/cli.js"), "kernel", "types", "--folder", folder, ...words];
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  expect(status, stderr).toBe(0);
  return stderr;
};

/** What the compiler reports about a cell of the folder. */
const checked = (cell: string): string => {
  writeFileSync(join(folder, "cell.ts"), `${cell}\n`);
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" }).stdout;
};

// Two runs of the compiler over all declarations of the package.
longIt("an editor has the prelude, the helpers and the columns of tables", { timeout: 180_000 }, () => {
  const written = types("--sample", "MARKET/PRICES");
  expect(written).toContain("arrowbook-notebook.d.ts");
  expect(written).toContain("tsconfig.json");
  expect(
    checked(`const prices = await service.table("MARKET/PRICES").select("ticker", "close").frame();
const first: number = [...prices.rows()][0].close;
const twice: Frame = Frame.concat([prices, prices]);
display(twice, { id: "a" });
const key: string = password();
await sh("ls");
service.catalog();`),
  ).toBe("");
  expect(checked(`service.table("MARKET/PRICES").select("clsoe");`)).toMatch(/cell\.ts\(1,\d+\): error [\s\S]*"clsoe"/);
});

it("a tsconfig of the user's own is kept", () => {
  writeFileSync(join(folder, "tsconfig.json"), "{}");
  expect(types()).not.toContain("tsconfig.json");
  expect(readFileSync(join(folder, "tsconfig.json"), "utf8")).toBe("{}");
  expect(readFileSync(join(folder, "arrowbook-notebook.d.ts"), "utf8")).not.toContain("MARKET");
  expect(existsSync(join(folder, "cell.js"))).toBe(false);
});

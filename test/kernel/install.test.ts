import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { dataFolders, userDataFolder } from "../../src/kernel/install/data-folders.js";
import { installKernel, kernelStatus, uninstallKernel } from "../../src/kernel/install/install.js";
import { findKernel } from "../../src/kernel/install/kernelspec.js";

let folder: string;
const before = { ...process.env };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "arrowbook-install-"));
  process.env["JUPYTER_DATA_DIR"] = join(folder, "data");
  delete process.env["VIRTUAL_ENV"];
  delete process.env["CONDA_PREFIX"];
});

afterEach(() => {
  process.env = { ...before };
  rmSync(folder, { recursive: true });
});

it("installs for the user with absolute paths, a display name and logos, and removes what it installed", async () => {
  const place = await installKernel();
  expect(place).toBe(join(folder, "data", "kernels", "arrowbook"));
  const spec = JSON.parse(readFileSync(join(place, "kernel.json"), "utf8")) as { argv: string[] };
  expect(spec).toMatchObject({
    display_name: "TypeScript (arrowbook)",
    language: "typescript",
    interrupt_mode: "message",
  });
  expect(spec.argv[0]).toBe(process.execPath);
  expect(spec.argv.filter((part) => part.endsWith("launcher.js")).every(isAbsolute)).toBe(true);
  expect(spec.argv).toContain("{connection_file}");
  for (const logo of ["logo-svg.svg", "logo-32x32.png", "logo-64x64.png"])
    expect(existsSync(join(place, logo))).toBe(true);
  expect(readFileSync(join(place, "logo-64x64.png")).subarray(1, 4).toString()).toBe("PNG");
  expect(findKernel("arrowbook").folder).toBe(place);
  expect(await uninstallKernel()).toBe(true);
  expect(existsSync(place)).toBe(false);
  expect(await uninstallKernel()).toBe(false);
});

it("installs elsewhere, under another name, with the user's prelude and options", async () => {
  const prelude = join(folder, "mine.ts");
  await expect(installKernel({ prelude })).rejects.toMatchObject({ code: "FileNotFound" });
  writeFileSync(prelude, "const mine = 1;\n");
  const place = await installKernel({ name: "Mine", prefix: folder, prelude, strict: true, bundler: true });
  expect(place).toBe(join(folder, "share", "jupyter", "kernels", "mine"));
  const { argv } = JSON.parse(readFileSync(join(place, "kernel.json"), "utf8")) as { argv: string[] };
  expect(argv.slice(-4)).toEqual(["--prelude", prelude, "--strict", "--bundler"]);
});

it("installs into the active environment, and says when there is none", async () => {
  await expect(installKernel({ sysPrefix: true })).rejects.toMatchObject({ code: "NoEnvironment" });
  process.env["VIRTUAL_ENV"] = folder;
  expect(await installKernel({ sysPrefix: true })).toBe(join(folder, "share", "jupyter", "kernels", "arrowbook"));
});

it("refuses names that Jupyter refuses, and to remove what is not ours", async () => {
  await expect(installKernel({ name: "a b" })).rejects.toMatchObject({ code: "BadArgument" });
  const other = join(folder, "data", "kernels", "arrowbook");
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, "kernel.json"), '{ "argv": ["python3"], "display_name": "x", "language": "python" }');
  await expect(uninstallKernel()).rejects.toMatchObject({ code: "ForeignKernel" });
});

it("reports what keeps an installed kernel from starting", async () => {
  expect(kernelStatus()).toEqual([]);
  const place = await installKernel();
  expect(kernelStatus()).toMatchObject([{ name: "arrowbook", folder: place, problems: [] }]);
  const path = join(place, "kernel.json");
  writeFileSync(path, readFileSync(path, "utf8").replace(process.execPath, "/gone/node"));
  expect(kernelStatus()[0].problems).toEqual(["its Node is gone: /gone/node"]);
});

it("finds the data folder of each system", () => {
  expect(userDataFolder({ JUPYTER_DATA_DIR: "/d" }, "linux")).toBe("/d");
  expect(userDataFolder({ HOME: "/home/u" }, "linux")).toBe("/home/u/.local/share/jupyter");
  expect(userDataFolder({ HOME: "/home/u", XDG_DATA_HOME: "/x" }, "linux")).toBe("/x/jupyter");
  expect(userDataFolder({ HOME: "/Users/u" }, "darwin")).toBe("/Users/u/Library/Jupyter");
  expect(userDataFolder({ APPDATA: "/r" }, "win32")).toBe("/r/jupyter");
  expect(dataFolders({ JUPYTER_PATH: "/p", HOME: "/h", VIRTUAL_ENV: "/v" }, "linux")).toEqual([
    "/p",
    "/h/.local/share/jupyter",
    "/v/share/jupyter",
    "/usr/local/share/jupyter",
    "/usr/share/jupyter",
  ]);
});

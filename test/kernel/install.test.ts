import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { installKernel, kernelStatus, uninstallKernel } from "../../src/kernel/install/install.js";
import { dataFolders, findKernel, userDataFolder } from "../../src/kernel/install/kernelspec.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { needBuild } from "./build.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folder: string;

beforeAll(() => needBuild());

beforeEach(() => {
  folder = temporaryFolder("install");
  vi.stubEnv("JUPYTER_DATA_DIR", join(folder, "data"));
  vi.stubEnv("VIRTUAL_ENV", undefined);
  vi.stubEnv("CONDA_PREFIX", undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

it("installs for the user with absolute paths, a display name and logos, and removes what it installed", async () => {
  const place = await installKernel();
  expect(place).toBe(join(folder, "data", "kernels", "arrowbook"));
  const spec = JSON.parse(readFileSync(join(place, "kernel.json"), "utf8")) as { argv: string[] };
  expect(spec).toMatchObject({
    display_name: "TypeScript (arrowbook)",
    language: "typescript",
    interrupt_mode: "message",
    kernel_protocol_version: "5.5",
    metadata: { debugger: true },
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
  const place = await installKernel({ name: "Mine", prefix: folder, prelude, strict: true });
  expect(place).toBe(join(folder, "share", "jupyter", "kernels", "mine"));
  const { argv } = JSON.parse(readFileSync(join(place, "kernel.json"), "utf8")) as { argv: string[] };
  expect(argv.slice(-3)).toEqual(["--prelude", prelude, "--strict"]);
});

it("installs into the active environment, and says when there is none", async () => {
  await expect(installKernel({ sysPrefix: true })).rejects.toMatchObject({ code: "NoEnvironment" });
  vi.stubEnv("VIRTUAL_ENV", folder);
  expect(await installKernel({ sysPrefix: true })).toBe(join(folder, "share", "jupyter", "kernels", "arrowbook"));
});

it("refuses names that Jupyter refuses, and to remove what is not ours", async () => {
  await expect(installKernel({ name: "a b" })).rejects.toMatchObject({ code: "BadArgument" });
  const other = join(folder, "data", "kernels", "arrowbook");
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, "kernel.json"), '{ "argv": ["python3"], "display_name": "x", "language": "python" }');
  await expect(uninstallKernel()).rejects.toMatchObject({ code: "ForeignKernel" });
});

it("does not replace the kernel of another project or program unless --force asks for it", async () => {
  const place = join(folder, "data", "kernels", "arrowbook");
  const other = join(folder, "other", "node_modules", "arrowbook");
  const launcher = join(other, "dist", "cjs", "launcher.js");
  const spec = (argv: readonly string[]) =>
    writeFileSync(join(place, "kernel.json"), JSON.stringify({ argv, display_name: "x", language: "typescript" }));
  mkdirSync(place, { recursive: true });
  mkdirSync(join(launcher, ".."), { recursive: true });
  writeFileSync(launcher, "");
  for (const [argv, owner] of [
    [["node", launcher], other],
    [["python3"], "another program"],
  ] as const) {
    spec(argv);
    await expect(installKernel()).rejects.toMatchObject({
      code: "ForeignKernel",
      message: `The kernel "arrowbook" is installed already, from ${owner}.`,
      hint: expect.stringContaining("--name"),
    });
    expect(await installKernel({ name: "mine" })).toBe(join(folder, "data", "kernels", "mine"));
    expect(await installKernel({ force: true })).toBe(place);
    expect(await installKernel()).toBe(place);
  }
  spec(["node", join(folder, "gone", "dist", "cjs", "launcher.js")]);
  expect(await installKernel()).toBe(place);
});

it("installs and removes the kernel of stock tslab, by its path", async () => {
  const place = await installKernel({ stock: true, prefix: folder });
  expect(place).toBe(join(folder, "share", "jupyter", "kernels", "tslab"));
  const spec = JSON.parse(readFileSync(join(place, "kernel.json"), "utf8"));
  expect(spec).toMatchObject({ display_name: "TypeScript (tslab)", interrupt_mode: "signal" });
  expect(spec.argv[0]).toBe(process.execPath);
  expect(existsSync(spec.argv[1])).toBe(true);
  expect(await installKernel({ stock: true, prefix: folder })).toBe(place);
  expect(await uninstallKernel({ name: "tslab", prefix: folder })).toBe(true);
});

it("fails without the package typescript, and says how to install it", () => {
  const build = join(folder, "project", "node_modules", "arrowbook");
  mkdirSync(join(build, ".."), { recursive: true });
  cpSync(join(root, "dist"), join(build, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(build, "package.json"));
  // What `npm install arrowbook` installs, without optional packages.
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, "project", "node_modules", name);
    mkdirSync(join(link, ".."), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link, "dir");
  }
  const done = spawnSync(process.execPath, [join(build, "dist", "esm", "cli.js"), "kernel", "install"], {
    cwd: join(folder, "project"),
    encoding: "utf8",
  });
  expect(done.stderr).toBe(
    "arrowbook: The kernel requires the package typescript, which is not installed. " +
      "Run npm install typescript@6 here, then install the kernel again.\n",
  );
  expect(done.status).toBe(1);
  expect(existsSync(join(folder, "data", "kernels"))).toBe(false);
});

it("reports what keeps an installed kernel from starting", async () => {
  expect(kernelStatus()).toEqual([]);
  const place = await installKernel();
  expect(kernelStatus()).toMatchObject([{ name: "arrowbook", folder: place, problems: [] }]);
  const path = join(place, "kernel.json");
  writeFileSync(path, readFileSync(path, "utf8").replace(process.execPath, "/gone/node"));
  expect(kernelStatus()[0].problems).toEqual(["Node not found: /gone/node"]);
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

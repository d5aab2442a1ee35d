// npm run test:runtimes: the same job on Node 20 (this one), 22, 24, 26, Deno and Bun; the results must be equal.
// Needs the build, and the runtimes: npm ci --prefix test/runtimes (Linux on x64). With `-- --unit` the other
// versions of Node also run what `npm test` runs.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const packages = join(here, "node_modules");
const runtimes = [
  ["this Node", process.execPath],
  ["Node 22", join(packages, "node22/bin/node")],
  ["Node 24", join(packages, "node24/bin/node")],
  ["Node 26", join(packages, "node26/bin/node")],
  ["Deno", join(packages, "@deno/linux-x64-glibc/deno"), "run", "--allow-all", "--node-modules-dir=manual"],
  ["Bun", join(packages, "@oven/bun-linux-x64/bin/bun")],
];
const folder = mkdtempSync(join(tmpdir(), "arrowbook-runtimes-"));
mkdirSync(join(folder, "node_modules"));
symlinkSync(join(here, "../.."), join(folder, "node_modules/arrowbook"), "dir");
copyFileSync(join(here, "job.mjs"), join(folder, "job.mjs"));

let expected;
let failed = 0;
for (const [name, path, ...words] of runtimes) {
  if (!existsSync(path)) {
    failed++;
    console.error(`✗ ${name} is missing: npm ci --prefix test/runtimes (Linux on x64)`);
    continue;
  }
  if (path.startsWith(packages)) chmodSync(path, 0o755);
  const version = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.split("\n")[0];
  const { stdout, stderr, status } = spawnSync(path, [...words, "job.mjs"], { cwd: folder, encoding: "utf8" });
  expected ??= stdout;
  if (status === 0 && stdout !== "" && stdout === expected) console.log(`✓ ${name} (${version})`);
  else {
    failed++;
    console.error(`✗ ${name} (${version}): status ${status}\n${stdout}${stderr}`);
  }
}
rmSync(folder, { recursive: true, force: true });

if (process.argv.includes("--unit")) {
  for (const [name, path] of runtimes.filter(([runtime]) => runtime.startsWith("Node"))) {
    const words = ["node_modules/vitest/vitest.mjs", "run", "--config", ".config/vitest.config.ts"];
    const env = { ...process.env, PATH: `${dirname(path)}:${process.env.PATH}` };
    const { status } = spawnSync(path, words, { cwd: join(here, "../.."), env, stdio: "inherit" });
    if (status !== 0) failed++;
    console.log(status === 0 ? `✓ tests on ${name}` : `✗ tests on ${name}: status ${status}`);
  }
}
process.exit(failed === 0 ? 0 : 1);

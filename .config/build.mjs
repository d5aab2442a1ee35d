// Builds dist/esm and dist/cjs: JavaScript by rolldown (entries share chunks, so that each half has one copy of every
// class), declarations by tsc. The CommonJS half exists because notebook cells are `require`d (docs/decisions.md).
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { assemblyScript } from "./assemblyscript.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const names = ["index", "server", "notebook", "duckdb", "clickhouse", "trino", "testing", "cli", "launcher", "worker"];
const input = Object.fromEntries(names.filter((n) => existsSync(`src/${n}.ts`)).map((n) => [n, `src/${n}.ts`]));

rmSync("dist", { recursive: true, force: true });

for (const [folder, format] of [
  ["esm", "esm"],
  ["cjs", "cjs"],
]) {
  const bundle = await rolldown({
    input,
    platform: "node",
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
    plugins: [assemblyScript()],
    treeshake: true,
  });
  await bundle.write({
    dir: `dist/${folder}`,
    format,
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name].js",
    sourcemap: false,
    exports: "named",
    // What Node reads at import: without docstrings, which the declarations keep, and as ASCII, which V8 holds in half
    // the memory.
    comments: { jsdoc: false },
    charset: "ascii",
  });
  await bundle.close();
}

execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", ".config/tsconfig.build.json"], {
  stdio: "inherit",
});
copyDeclarations("dist/esm", "dist/cjs");
// npm sets this bit where it installs the package, but not for `npx arrowbook` inside a clone.
chmodSync("dist/esm/cli.js", 0o755);
writeFileSync("dist/cjs/package.json", `${JSON.stringify({ type: "commonjs" })}\n`);

/** The same declarations beside the CommonJS half, where `package.json` makes them CommonJS. */
function copyDeclarations(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) copyDeclarations(`${from}/${entry.name}`, `${to}/${entry.name}`);
    else if (entry.name.endsWith(".d.ts")) cpSync(`${from}/${entry.name}`, `${to}/${entry.name}`);
  }
}

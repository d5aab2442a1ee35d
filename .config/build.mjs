// Builds dist/esm and dist/cjs: JavaScript by rolldown (entries share chunks, so that each half has one copy of every
// class), declarations by tsc. The CommonJS half exists because stock tslab `require`s (docs/decisions.md).
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { assemblyScript, inCharacters } from "./assemblyscript.mjs";
import { forPages } from "./browser.mjs";
import { chunks, PAGE } from "./chunks.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const names = ["index", "frame", "server", "notebook", "duckdb", "clickhouse", "trino", "testing", "cli", "launcher"];

rmSync("dist", { recursive: true, force: true });

for (const format of ["esm", "cjs"]) {
  const { plugin, codeSplitting } = chunks();
  await write(names, format, "shared", [plugin], { codeSplitting });
}
// Worker threads share no class with other code: their program is in files of its own, so that they start fast.
await write(["worker"], "cjs", "worker");
const pages = chunks(PAGE);
const dir = "dist/browser";
await write(
  ["index", "frame", "duckdb"],
  "esm",
  "shared",
  [forPages({ apart: true }), pages.plugin],
  { dir, codeSplitting: pages.codeSplitting },
  "browser",
);

/** Builds entry files and what they share, which goes into `folder`. */
async function write(entries, format, folder, plugins = [], output = {}, platform = "node") {
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])),
    platform,
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
    plugins: [platform === "browser" ? assemblyScript(inCharacters) : assemblyScript(), ...plugins],
    treeshake: true,
    preserveEntrySignatures: "allow-extension",
  });
  await bundle.write({
    dir: `dist/${format}`,
    format,
    entryFileNames: "[name].js",
    chunkFileNames: `${folder}/[name].js`,
    sourcemap: false,
    exports: "named",
    // What Node reads at import: without docstrings, which the declarations keep, and as ASCII, which V8 holds in half
    // the memory.
    comments: { jsdoc: false },
    charset: "ascii",
    ...output,
  });
  await bundle.close();
}

await write(["worker"], "esm", ".", [forPages()], { dir: `${dir}/shared`, codeSplitting: false }, "browser");

execFileSync(process.execPath, ["node_modules/typescript7/bin/tsc", "-p", ".config/tsconfig.build.json"], {
  stdio: "inherit",
});
copyDeclarations("dist/esm", "dist/cjs");
copyFileSync("src/platform/sessions.bin", "dist/sessions.bin");
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

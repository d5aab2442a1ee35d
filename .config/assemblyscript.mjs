// Where `x.wasm` is imported, the AssemblyScript beside it, `x.ts`, is compiled into a text in base64, or one
// that compresses better for pages: for rolldown and vitest alike.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const CACHE = join(root, "node_modules/.cache/assemblyscript");

const inBase64 = (bytes) => Buffer.from(bytes).toString("base64");

/**
 * A character for each byte below 88, and two for each other one: a bar or a closing brace, then that of the rest. They
 * are printable, from # on without the backslash. `programBytes` of the browser's platform room undoes it.
 */
export function inCharacters(bytes) {
  const character = (value) => String.fromCharCode(value + (value < 57 ? 35 : 36));
  return Array.from(
    bytes,
    (byte) => (byte < 88 ? "" : character(87 + Math.floor(byte / 88))) + character(byte % 88),
  ).join("");
}

/** @param textOf makes a text of the bytes of a program */
export function assemblyScript(textOf = inBase64) {
  return {
    name: "assemblyscript",
    enforce: "pre",
    resolveId(source, importer) {
      if (!source.endsWith(".wasm")) return null;
      // vitest names modules that it has cached by their path below the root, without an importer.
      if (source.startsWith("/src/")) return join(root, source);
      return importer === undefined ? null : resolve(dirname(importer), source);
    },
    async load(id) {
      if (!id.endsWith(".wasm")) return null;
      const file = id.replace(/wasm$/, "ts");
      const binary = await kept(file, (path) => this.addWatchFile?.(path));
      return {
        code: `export const binary = ${JSON.stringify(textOf(binary))};`,
        map: null,
        moduleType: "js",
      };
    },
  };
}

/** The bytes of the program, compiled once for the same sources of all programs and the same compiler. */
async function kept(file, onRead) {
  const folder = dirname(file);
  const sources = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".ts"));
  const digest = createHash("sha256")
    .update(basename(file))
    .update(readFileSync(fileURLToPath(import.meta.url)));
  digest.update(readFileSync(join(root, "node_modules/assemblyscript/package.json")));
  for (const name of sources.sort()) {
    onRead(join(folder, name));
    digest.update(name).update(readFileSync(join(folder, name)));
  }
  const path = join(CACHE, `${digest.digest("hex")}.wasm`);
  if (existsSync(path)) return readFileSync(path);
  const binary = await compiled(file);
  mkdirSync(CACHE, { recursive: true });
  // Under its name once it is complete: other processes may read it.
  writeFileSync(`${path}.${process.pid}`, binary);
  renameSync(`${path}.${process.pid}`, path);
  return binary;
}

/** The bytes of the program, which has no runtime library and frees nothing. */
async function compiled(file) {
  // Imported here, because it is large and not every run of vitest needs it.
  const { default: asc } = await import("assemblyscript/asc");
  const name = basename(file);
  const found = (path) => join(dirname(file), path);
  let binary;
  const { error, stderr } = await asc.main(
    [name, "-O3", "--noAssert", "--runtime", "stub", "--enable", "simd", "--outFile", "program.wasm"],
    {
      readFile(path) {
        return existsSync(found(path)) ? readFileSync(found(path), "utf8") : null;
      },
      writeFile: (path, contents) => {
        if (path === "program.wasm") binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
  return binary;
}

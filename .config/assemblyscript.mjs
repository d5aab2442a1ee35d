// Where `x.wasm` is imported, the AssemblyScript beside it, `x.ts`, is compiled and given in base64: for rolldown and
// vitest alike.
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

export function assemblyScript() {
  return {
    name: "assemblyscript",
    enforce: "pre",
    resolveId(source, importer) {
      return source.endsWith(".wasm") && importer !== undefined ? resolve(dirname(importer), source) : null;
    },
    async load(id) {
      if (!id.endsWith(".wasm")) return null;
      const file = id.replace(/wasm$/, "ts");
      const binary = Buffer.from(await compiled(file, (path) => this.addWatchFile?.(path)));
      return { code: `export const binary = "${binary.toString("base64")}";`, map: null, moduleType: "js" };
    },
  };
}

/** The bytes of the program, which has no runtime library and frees nothing. */
async function compiled(file, onRead) {
  // Imported here, because it is large and not every run of vitest needs it.
  const { default: asc } = await import("assemblyscript/asc");
  const name = basename(file);
  const found = (path) => join(dirname(file), path);
  let binary;
  const { error, stderr } = await asc.main(
    [name, "-O3", "--noAssert", "--runtime", "stub", "--enable", "simd", "--outFile", "program.wasm"],
    {
      readFile(path) {
        if (!existsSync(found(path))) return null;
        onRead(found(path));
        return readFileSync(found(path), "utf8");
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

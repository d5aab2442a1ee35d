import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { inCharacters } from "../../.config/assemblyscript.mjs";
import { programBytes } from "../../src/platform/browser/bytes.js";

const built = join(fileURLToPath(new URL("../..", import.meta.url)), "dist/browser");

/**
 * Bytes that a page loads besides apache-arrow, minified and compressed: at first, and once it has read a file of a
 * format. Lower them when they fall.
 */
const MOST = {
  index: { "": 224_500 },
  frame: { "": 126_000, csv: 144_000, lines: 134_500, arrow: 142_000, parquet: 149_500 },
};

it.each(Object.entries(MOST))("a page that imports %s loads no more than it did", async (entry, most) => {
  const source = join(built, `${entry}.js`);
  expect(existsSync(source), "npm run build").toBe(true);
  const bundle = await rolldown({
    input: { [entry]: source },
    platform: "browser",
    external: (id) => !/^[./]/.test(id),
    logLevel: "silent",
  });
  const { output } = await bundle.generate({
    format: "esm",
    minify: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
  });
  const files = new Map(output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file] as const] : [])));
  const loadedBy = (names: readonly string[]): number => {
    const loaded = new Set<string>();
    const visit = (name: string): void => {
      if (loaded.has(name) || !files.has(name)) return;
      loaded.add(name);
      files.get(name)?.imports.forEach(visit);
    };
    for (const name of names) visit(`${name}.js`);
    return [...loaded].reduce((sum, name) => sum + gzipSync(files.get(name)?.code ?? "").length, 0);
  };
  for (const [format, bytes] of Object.entries(most)) {
    const names = format === "" ? [entry] : [entry, format];
    for (const name of names) expect(files.has(`${name}.js`), name).toBe(true);
    expect(loadedBy(names), `${entry} ${format}`).toBeGreaterThan(100_000);
    expect(loadedBy(names), `${entry} ${format}`).toBeLessThanOrEqual(bytes);
  }
});

it("a page finds its WebAssembly programs as a text that compresses well", () => {
  const program = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  program.set([0, 97, 115, 109]);
  const text = inCharacters(program);
  expect([...programBytes(text)]).toEqual([...program]);
  expect(text.length).toBeLessThan(program.length * 2);
  expect(readFileSync(join(built, "shared/frame.js"), "utf8")).toContain(
    `const binary = "${inCharacters(program.subarray(0, 4))}`,
  );
});

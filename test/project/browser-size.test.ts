import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";

const built = join(fileURLToPath(new URL("../..", import.meta.url)), "dist/browser/index.js");

/** Bytes that a page loads at first, minified and compressed, besides apache-arrow. Lower it when they fall. */
const MOST = 275_000;

it("a page loads no more than it did", async () => {
  expect(existsSync(built), "npm run build").toBe(true);
  const bundle = await rolldown({
    input: { index: built },
    platform: "browser",
    external: (id) => !/^[./]/.test(id),
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  const files = new Map(output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file] as const] : [])));
  const loaded = new Set<string>();
  const visit = (name: string): void => {
    if (loaded.has(name) || !files.has(name)) return;
    loaded.add(name);
    files.get(name)?.imports.forEach(visit);
  };
  for (const [name, { isEntry }] of files) if (isEntry) visit(name);
  const bytes = [...loaded].reduce((sum, name) => sum + gzipSync(files.get(name)?.code ?? "").length, 0);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(MOST);
});

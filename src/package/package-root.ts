import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The folder in which this package is installed: the nearest parent folder of this file whose package.json has the
 * package's name. Works in the source tree and in both built module formats.
 */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const manifest = join(folder, "package.json");
    if (
      existsSync(manifest) &&
      (JSON.parse(readFileSync(manifest, "utf8")) as { name?: string }).name === "arrowbook"
    ) {
      return folder;
    }
    const above = dirname(folder);
    if (above === folder) throw new Error("arrowbook's own package.json was not found above its code");
    folder = above;
  }
}

/** The version of this package, from its package.json. */
export function version(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as { version: string }).version;
}

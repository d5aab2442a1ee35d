import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as Syntax from "typescript";
import { InputError } from "../../errors/errors.js";
import { packageRoot } from "../../package/package-root.js";

export type { Syntax };

/** The package `typescript`. */
export type TypeScript = typeof Syntax;

/** The first version with `module: preserve`, and the first without an interface for programs. */
const OLDEST = [5, 4] as const;
const TOO_NEW = 7;

export interface InstalledTypeScript {
  readonly folder: string;
  readonly version: string;
}

/**
 * The package `typescript` of the project in `folder` if the kernel can use it (5.4 to 6), else that of this package.
 *
 * @throws {InputError} MissingPackage
 */
export function findTypeScript(folder: string): InstalledTypeScript {
  for (const from of [join(folder, "cell.js"), join(packageRoot(), "package.json")]) {
    try {
      const load = createRequire(from);
      const manifest = load.resolve("typescript/package.json");
      const { version } = load(manifest) as { readonly version: string };
      load.resolve("typescript");
      if (isSupported(version)) return { folder: dirname(manifest), version };
    } catch {}
  }
  throw new InputError("The kernel requires the package typescript, which is not installed.", {
    code: "MissingPackage",
    hint: "Run npm install typescript@6 here, then install the kernel again.",
  });
}

function isSupported(version: string): boolean {
  const [major, minor] = version.split(".").map(Number);
  return major < TOO_NEW && (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]));
}

/** Loads the package from its folder. */
export function loadTypeScript(folder: string): TypeScript {
  return createRequire(join(folder, "package.json"))(folder) as TypeScript;
}

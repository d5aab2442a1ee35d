import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Builds the package unless it is built: notebooks import what users import. `npm test` builds before. */
export function needBuild(): void {
  if (!existsSync(`${root}dist/cjs/launcher.js`)) execFileSync(process.execPath, [".config/build.mjs"], { cwd: root });
}

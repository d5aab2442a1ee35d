import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../support/temporary-folder.js";

/** The folder of this repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The content of its package.json. */
export const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** The packed files, installed in an empty project. */
export interface PackedProject {
  readonly folder: string;
  readonly tarball: string;
  /** Paths of the packed files. */
  readonly files: readonly string[];
  /** Makes a package of this repository's own install available in the project, if it is there. */
  link(name: string): void;
  remove(): void;
}

function pack(folder: string): { readonly report: { readonly files: { path: string }[] }; readonly tarball: string } {
  const answer = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const parsed = JSON.parse(answer);
  const [report] = Array.isArray(parsed) ? parsed : Object.values(parsed);
  return { report, tarball: join(folder, report.filename) };
}

/** Packs the project into a folder and returns the path of the archive. */
export const packTo = (folder: string): string => pack(folder).tarball;

/**
 * Packs the project and installs it in an empty one, as a user gets it. The dependencies are linked from this
 * repository's own install, so that no network is needed.
 */
export function packedProject({ optional = true } = {}): PackedProject {
  const folder = temporaryFolder("package");
  const { report, tarball } = pack(folder);
  const place = join(folder, "node_modules", "arrowbook");
  mkdirSync(place, { recursive: true });
  execFileSync("tar", ["xzf", tarball, "--strip-components=1", "-C", place]);
  const link = (name: string): void => {
    const from = join(root, "node_modules", name);
    const to = join(folder, "node_modules", name);
    mkdirSync(dirname(to), { recursive: true });
    if (existsSync(from) && !existsSync(to)) symlinkSync(from, to, "dir");
  };
  const { dependencies, optionalDependencies } = manifest;
  for (const name of Object.keys({ ...dependencies, ...(optional ? optionalDependencies : {}) })) link(name);
  writeFileSync(join(folder, "package.json"), '{ "name": "empty", "private": true }\n');
  return {
    folder,
    tarball,
    files: report.files.map(({ path }) => path),
    link,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

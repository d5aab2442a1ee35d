import { stat } from "node:fs/promises";
import { basename, dirname, relative, resolve, sep } from "node:path";
import { refusePartitions } from "../../columns/parquet/read/files.js";
import { FileError, InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { localFile } from "./local-source.js";

/** A file to read: its path, `file:` URL or bytes. */
export type FileSource = string | URL | Uint8Array;

/** What a reader reads: one file; a folder or pattern such as `data/*.csv`, of all its files; or a list of these. */
export type FileSources = FileSource | readonly FileSource[];

/** A file of several. */
export interface FoundFile {
  readonly source: string | Uint8Array;
  /** Its path below the folder that all files share, with `/`: the name of the file where they are in one folder. */
  readonly name: string;
}

/** The files that a reader accepts. */
export interface FileKind {
  /** The call, for messages. */
  readonly where: string;
  /** One of them, with its article, for messages. */
  readonly what: string;
  /** The names of those in a folder. */
  readonly names: RegExp;
  /** Its reader takes a folder as one table. */
  readonly readsFolders?: boolean;
}

/**
 * The files that a source names where these may be several; undefined for one path and for bytes. Files of folders and
 * patterns are in the natural order of their names (`part-2` before `part-10`), a list stays in its order.
 *
 * @throws {InputError} BadArgument
 * @throws {FileError} NotAFile for a folder or pattern without files
 */
export async function findFiles(sources: FileSources, kind: FileKind): Promise<readonly FoundFile[] | undefined> {
  if (!Array.isArray(sources)) {
    const local = localFile(sources as FileSource, kind.where, kind.what);
    const paths = typeof local === "string" ? await pathsOf(local, kind, kind.readsFolders) : undefined;
    return paths && named(paths);
  }
  if (sources.length === 0) {
    throw new InputError(`${kind.where} expects at least one file; got ${shown(sources)}.`, {
      code: "BadArgument",
      hint: 'Pass paths, such as ["a.csv", "b.csv"], or a pattern, such as "data/*.csv".',
    });
  }
  const found: (string | Uint8Array)[] = [];
  for (const source of sources as readonly FileSource[]) {
    const local = localFile(source, kind.where, kind.what);
    const paths = typeof local === "string" ? await pathsOf(local, kind) : undefined;
    for (const path of paths ?? [local]) found.push(path);
  }
  return named(found);
}

/** The paths of the files in a folder, or of those that match a pattern; undefined for another path. */
async function pathsOf(
  path: string,
  { names, readsFolders = false }: FileKind,
  keepsFolders = false,
): Promise<readonly string[] | undefined> {
  const info = await stat(path).catch(() => undefined);
  if (info?.isDirectory() === true && !keepsFolders) {
    const all = await matches("**/*", path);
    if (readsFolders) refusePartitions(path, all);
    return inOrder(
      all.filter(
        (file) =>
          names.test(file) &&
          !relative(path, file)
            .split(sep)
            .some((part) => part.startsWith("_")),
      ),
      `${path} holds no such files`,
      "Name the files, or pass a pattern, such as data/*.txt.",
    );
  }
  if (info !== undefined || !/[*?[{]/.test(path)) return undefined;
  return pathsLike(path);
}

/**
 * The paths of the files that match a pattern, in natural order.
 *
 * @throws {FileError} NotAFile
 */
export async function pathsLike(pattern: string): Promise<readonly string[]> {
  const found = await matches(sep === "/" ? pattern : pattern.replaceAll(sep, "/"));
  return inOrder(found, `No file matches ${pattern}`, "Check the folder and the pattern.");
}

/** Names that begin with a point match no `*`. */
async function matches(pattern: string, cwd?: string): Promise<string[]> {
  const { glob } = await import("tinyglobby");
  return (await glob(pattern, { ...(cwd !== undefined && { cwd }), absolute: true, expandDirectories: false })).map(
    (file) => resolve(file),
  );
}

const { compare } = new Intl.Collator("en", { numeric: true });

/** Compares names as people sort them, digits by their value. */
const naturalOrder = (a: string, b: string): number => compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);

function inOrder(paths: string[], what: string, hint: string): readonly string[] {
  if (paths.length > 0) return paths.sort(naturalOrder);
  throw new FileError(`${what}.`, { code: "NotAFile", hint });
}

function named(sources: readonly (string | Uint8Array)[]): FoundFile[] {
  const paths = sources.filter((source) => typeof source === "string").map((path) => resolve(path));
  let folder = paths.length === 0 ? "" : dirname(paths[0]);
  while (!paths.every((path) => isBelow(path, folder))) folder = dirname(folder);
  return sources.map((source, i) => {
    if (typeof source !== "string") return { source, name: `bytes ${i}` };
    const name = relative(folder, resolve(source)).split(sep).join("/");
    return { source, name: name === "" ? basename(source) : name };
  });
}

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep) || dirname(folder) === folder;

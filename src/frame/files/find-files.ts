import { refusePartitions } from "../../columns/parquet/read/files.js";
import { FileError, InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { type AnyFile, nameOfFile } from "../../format/random-access.js";
import { basename, dirname, relative, resolve, sep, stat } from "../../platform/node/files.js";
import { filesLike } from "../../platform/node/packages.js";
import { addressOf, localFile, storedObject } from "./local-source.js";

/** A file to read: its path, its address (`https:`, `s3:`, `file:`), its bytes, or a `File` or `Blob` of a page. */
export type FileSource = string | URL | Uint8Array | Blob;

/**
 * What a reader reads: one file; a folder or pattern such as `data/*.csv` or `s3://bucket/data/*.csv`, which is all of
 * its files; or a list of these.
 */
export type FileSources = FileSource | readonly FileSource[];

/** A file of several. */
export interface FoundFile {
  readonly source: AnyFile;
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
    const found = await filesOf(sources as FileSource, kind, kind.readsFolders);
    return found && named(found);
  }
  if (sources.length === 0) {
    throw new InputError(`${kind.where} expects at least one file; got ${shown(sources)}.`, {
      code: "BadArgument",
      hint: 'Pass paths, such as ["a.csv", "b.csv"], or a pattern, such as "data/*.csv".',
    });
  }
  const found: AnyFile[] = [];
  for (const source of sources as readonly FileSource[]) {
    const files = await filesOf(source, kind);
    for (const file of files ?? [localFile(source, kind.where, kind.what)]) found.push(file);
  }
  return named(found);
}

/** The files of a folder or a pattern; undefined for one file. */
async function filesOf(
  source: FileSource,
  kind: FileKind,
  keepsFolders = false,
): Promise<readonly AnyFile[] | undefined> {
  const address = addressOf(source);
  if (address !== undefined) return /^s3:/i.test(address) ? objectsOf(address, kind) : undefined;
  const local = localFile(source, kind.where, kind.what);
  return typeof local === "string" ? pathsOf(local, kind, keepsFolders) : undefined;
}

/** The objects of a folder of an object storage, which ends in `/`, or those that match a pattern. */
async function objectsOf(
  address: string,
  { names, readsFolders = false }: FileKind,
): Promise<readonly AnyFile[] | undefined> {
  const { bucket, key } = storedObject(address);
  const isFolder = key === "" || key.endsWith("/");
  const special = key.search(PATTERN);
  if (!isFolder && special < 0) return undefined;
  const prefix = isFolder ? key : key.slice(0, special);
  const { keysBelow, objectAt } = await import("../../transport/object-storage.js");
  const keys = await keysBelow({ bucket, key: prefix });
  const isHidden = (name: string): boolean => name.split("/").some((part) => /^[_.]/.test(part));
  const { default: picomatch } = await import("picomatch");
  const isMatch = isFolder
    ? (name: string): boolean => names.test(name) && !isHidden(name.slice(key.length))
    : picomatch(key);
  const found = keys.filter((name) => isMatch(name));
  if (isFolder && readsFolders)
    refusePartitions(
      `/${key}`,
      found.map((name) => `/${name}`),
    );
  const what = isFolder ? `${address} holds no such files` : `No file matches ${address}`;
  return inOrder(found, what, "Check the folder and the pattern.").map((name) => objectAt({ bucket, key: name }));
}

/** What makes a path a pattern. */
const PATTERN = /[*?[{]/;

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
  if (info !== undefined || !PATTERN.test(path)) return undefined;
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
  return (await filesLike(pattern, cwd)).map((file) => resolve(file));
}

/** Names as people sort them, digits by their value. */
function inOrder(paths: string[], what: string, hint: string): readonly string[] {
  if (paths.length === 0) throw new FileError(`${what}.`, { code: "NotAFile", hint });
  // Not made for a single file: loading the rules of a language takes some milliseconds.
  const { compare } = new Intl.Collator("en", { numeric: true });
  return paths.sort((a, b) => compare(a, b) || (a < b ? -1 : a > b ? 1 : 0));
}

function named(sources: readonly AnyFile[]): FoundFile[] {
  const paths = sources.flatMap((source) => (source instanceof Uint8Array ? [] : [resolve(nameOfFile(source, ""))]));
  let folder = paths.length === 0 ? "" : dirname(paths[0]);
  while (!paths.every((path) => isBelow(path, folder))) folder = dirname(folder);
  return sources.map((source, i) => {
    if (source instanceof Uint8Array) return { source, name: `bytes ${i}` };
    const path = nameOfFile(source, "");
    const name = relative(folder, resolve(path)).split(sep).join("/");
    return { source, name: name === "" ? basename(path) : name };
  });
}

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep) || dirname(folder) === folder;

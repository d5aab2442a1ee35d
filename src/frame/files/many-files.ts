import type { RecordBatch, Table } from "../../columns/arrow/arrow.js";
import { InputError, isArrowbookError, reworded } from "../../errors/errors.js";
import { checkWords } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { AnyFile } from "../../format/random-access.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { FileKind, FileSource, FileSources, FoundFile } from "./find-files.js";
import { localFile } from "./local-source.js";
import { sourceOfPath } from "./source-of.js";
import type { UnionChoice, UnionOptions, UnionPart } from "./union.js";

export const UNION_OPTIONS = ["source", "missingColumns"] as const;

/** What to do about columns without a common type in files that declare their types. */
export const CAST_FIRST = "Read the files apart, and cast COLUMN in one of them before Frame.concat().";

/** Rows of files, and what is known of their origin. */
export interface FilesRead {
  readonly table: Table;
  readonly source: FrameSource | undefined;
}

/**
 * Reads one file, or several as one table.
 *
 * @param read reads one; `isPart`: of several
 * @param remedy what to do about columns that have no common type, with `COLUMN` for the name
 */
export async function readFiles(
  sources: FileSources,
  kind: FileKind,
  options: UnionChoice,
  remedy: string,
  read: (source: AnyFile, isPart: boolean) => Promise<Table>,
): Promise<FilesRead> {
  const files = await filesToUnite(sources, kind, options);
  if (files === undefined) {
    const local = localFile(sources as FileSource, kind.where, kind.what);
    return { table: await read(local, false), source: sourceOfPath(local) };
  }
  const tables: Table[] = [];
  for (const file of files) tables.push(await named(file, files, () => read(file.source, true)));
  const { tablePart, Union } = await import("./union.js");
  const union = new Union(
    tables.map((table, i) => tablePart(files[i].name, table)),
    options,
    remedy,
  );
  return { table: union.table(tables), source: sourceOfFiles(sources, files) };
}

/** The files of a union; undefined for one file without a column of its name. */
export async function filesToUnite(
  sources: FileSources,
  kind: FileKind,
  options: UnionOptions,
): Promise<readonly FoundFile[] | undefined> {
  const { source } = options;
  checkWords(options, { missingColumns: ["null", "error"] });
  if (source !== undefined && typeof source !== "string") {
    throw new InputError(`The option source of ${kind.where} expects a column name; got ${shown(source)}.`, {
      code: "BadArgument",
      hint: 'Pass the name of the column for the names of the files: { source: "file" }.',
    });
  }
  const isUnion = Array.isArray(sources) || source !== undefined || options.missingColumns !== undefined;
  if (!isUnion && (sources instanceof Uint8Array || sources instanceof Blob)) return undefined;
  const { findFiles } = await import("./find-files.js");
  return findFiles(isUnion && !Array.isArray(sources) ? [sources as FileSource] : sources, kind);
}

/**
 * The batches of several files under the columns of all of them.
 *
 * @param partOf the columns of a file
 * @param batchesOf its batches
 */
export async function* unionBatches(
  files: readonly FoundFile[],
  options: UnionChoice,
  remedy: string,
  partOf: (file: FoundFile, number: number) => Promise<Omit<UnionPart, "name">>,
  batchesOf: (file: FoundFile, number: number) => AsyncIterable<RecordBatch>,
): AsyncGenerator<RecordBatch> {
  const parts: UnionPart[] = [];
  for (const [i, file] of files.entries()) {
    parts.push({ ...(await named(file, files, () => partOf(file, i))), name: file.name });
  }
  const { Union } = await import("./union.js");
  const union = new Union(parts, options, remedy);
  for (const [i, file] of files.entries()) {
    const batches = batchesOf(file, i)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const step = await named(file, files, () => batches.next());
        if (step.done === true) break;
        yield union.batch(i, step.value);
      }
    } finally {
      await batches.return?.();
    }
  }
}

/** Runs a read of one of several files; its error names the file. */
async function named<T>({ name }: FoundFile, files: readonly FoundFile[], read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isArrowbookError(error) || files.length === 1 || error.message.includes(name)) throw error;
    throw reworded(error, `${name}: ${error.message}`);
  }
}

/** The pattern or folder, or the names of the first files. */
function sourceOfFiles(sources: FileSources, files: readonly FoundFile[]): FrameSource {
  if (!Array.isArray(sources)) return { code: String(sources) };
  const [first, ...others] = files.map(({ name }) => name);
  return { code: others.length === 0 ? first : `${first} and ${others.length} more` };
}

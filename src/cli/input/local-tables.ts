import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { bulkFile } from "../../client/bulk/local-bulk-file.js";
import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { columnsOfCsv, type UndeclaredOptions } from "../../columns/csv/infer.js";
import type { TextOptions } from "../../columns/files/text-file.js";
import type { ErrorCode } from "../../errors/codes.js";
import { clip, InputError, isArrowbookError, reworded } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { isOpenable, nameOfFile, wholeFile } from "../../format/random-access.js";
import { zipEntry } from "../../format/zip.js";
import { arrowBatches } from "../../frame/files/arrow-batches.js";
import { type CsvFileOptions, csvBatches } from "../../frame/files/csv-files.js";
import { jsonLinesBatches } from "../../frame/files/json-lines.js";
import { localFile } from "../../frame/files/local-source.js";
import { parquetBatches } from "../../frame/files/parquet-batches.js";
import { Frame } from "../../frame/frame.js";

/** How the CSV files that are read were written. */
export type TextFlags = Pick<
  UndeclaredOptions & TextOptions,
  "delimiter" | "decimal" | "thousands" | "percent" | "dateFormat" | "encoding"
>;

/** A kind of file: how it is read as a whole, and in bounded memory; absent where it can only be read as a whole. */
interface Kind {
  readonly read: (path: string, flags: TextFlags) => Promise<Frame>;
  readonly batches?: (path: string, flags: TextFlags) => AsyncIterable<RecordBatch>;
}

const csv = (usual: TextFlags = {}): Kind => ({
  read: (path, flags) => Frame.fromCSV(path, csvOptions({ ...usual, ...flags })),
  batches: (path, flags) => csvBatches(path, csvOptions({ ...usual, ...flags })),
});

const csvOptions = ({ delimiter, decimal, thousands, percent, dateFormat, encoding }: TextFlags): CsvFileOptions =>
  Object.fromEntries(
    Object.entries({ delimiter, decimal, thousands, percent, dateFormat, encoding }).filter(([, flag]) => flag),
  );

const PARQUET: Kind = { read: (path) => Frame.fromParquet(path), batches: (path) => parquetBatches(path) };
const ARROW: Kind = { read: (path) => Frame.fromArrow(path), batches: (path) => arrowBatches(path) };
const JSON_LINES: Kind = { read: (path) => Frame.fromJSONLines(path), batches: (path) => jsonLinesBatches(path) };

/** The kind of a file by its ending, without `.gz` and `.zst`. */
const KINDS: Readonly<Record<string, Kind>> = {
  ".parquet": PARQUET,
  ".arrow": ARROW,
  ".arrows": ARROW,
  ".feather": ARROW,
  ".ipc": ARROW,
  ".csv": csv(),
  ".tsv": csv({ delimiter: "\t" }),
  ".jsonl": JSON_LINES,
  ".ndjson": JSON_LINES,
  ".json": { read: readJson },
  ".xlsx": { read: (path) => Frame.fromExcel(path) },
  ".zip": { read: readZip, batches: zipBatches },
};

/** The endings of files that are read, for the help. */
export const localEndings: string = Object.keys(KINDS).join(", ");

/**
 * The tables of files: each has the name of the file without its ending, or the `name` of `name=path`.
 *
 * @throws {InputError} BadArgument for two tables of one name, UnknownFileType
 */
export function localTables(words: readonly string[]): readonly LocalTable[] {
  const tables = words.map(tableOf);
  for (const [i, { name, shownPath: path }] of tables.entries()) {
    const other = tables.findIndex((table) => table.name.toLowerCase() === name.toLowerCase());
    if (other !== i) {
      throw new InputError(`${tables[other].shownPath} and ${path} would both be the table ${JSON.stringify(name)}.`, {
        code: "BadArgument",
        hint: `Name one of them: other=${path}`,
      });
    }
  }
  return tables;
}

/** A table in a file, also at an address, in the files of a pattern, or in a folder of Parquet files. */
export interface LocalTable {
  readonly name: string;
  readonly path: string;
  /** The path, or the address without its query. */
  readonly shownPath: string;
  /** Whether it is not in the file system. */
  readonly isRemote: boolean;
  readonly read: (flags: TextFlags) => Promise<Frame>;
  /** Reads in bounded memory; absent where the file can only be read as a whole. */
  readonly batches?: (flags: TextFlags) => AsyncIterable<RecordBatch>;
  readonly isParquet: boolean;
  /** Whether the path is a pattern. */
  readonly isPattern: boolean;
  /** Bytes of memory that a byte of the file takes, about. */
  readonly growth: number;
}

function tableOf(word: string): LocalTable {
  const named = existsSync(word) ? null : /^([^=/\\]+)=(.+)$/s.exec(word);
  const path = named?.[2] ?? word;
  const source = localFile(path, "sql", "a file");
  const isRemote = isOpenable(source);
  // The name of an address has no query.
  const shownPath = nameOfFile(source, "");
  // A folder of Parquet files is one table.
  const isFolder = isRemote
    ? /^s3:.*\/$/i.test(path)
    : statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = basename(shownPath);
  const ending = /(\.[^.]+?)(\.gz|\.zst)?$/i.exec(file)?.[1]?.toLowerCase() ?? "";
  const kind = isFolder ? PARQUET : KINDS[ending];
  if (kind === undefined) {
    throw new InputError(`The file type of ${shownPath} is unknown.`, {
      code: "UnknownFileType",
      hint: `Pass files that end in ${localEndings}, compressed or not, or a folder of Parquet files.`,
    });
  }
  const name = named?.[1] ?? (isFolder ? file : file.replace(/\.[^.]+?(\.gz|\.zst)?$/i, ""));
  const isParquet = kind === PARQUET;
  const isPattern = !isRemote && /[*?[{]/.test(path) && !existsSync(path);
  const growth = isParquet || /\.(?:gz|zst|zip)$/i.test(file) ? 4 : 1;
  const { read, batches } = kind;
  return {
    name,
    path,
    shownPath,
    read: (flags) => read(path, flags).catch((error: unknown) => Promise.reject(localError(shownPath, error))),
    ...(batches && { batches: (flags) => batchesOf(shownPath, batches(path, flags)) }),
    isRemote,
    isParquet,
    isPattern,
    growth,
  };
}

async function* batchesOf(path: string, batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  try {
    yield* batches;
  } catch (error) {
    throw localError(path, error);
  }
}

/** An array of objects, as `-o rows.json` writes it, or a reply of the service. */
async function readJson(path: string): Promise<Frame> {
  const source = localFile(path, "sql", "a JSON file");
  if (isOpenable(source)) return Frame.fromJSON(await wholeFile(source));
  const bytes = await readFile(path).catch((error: unknown) => Promise.reject(fileError(path, "read", error)));
  return Frame.fromJSON(bytes);
}

/** The CSV file inside an archive. */
async function readZip(path: string, flags: TextFlags): Promise<Frame> {
  const blocks: Uint8Array[] = [];
  const source = localFile(path, "sql", "a zip archive");
  const entry = await zipEntry(isOpenable(source) ? await source.open("end") : source);
  for await (const block of entry.chunks()) blocks.push(Buffer.from(block));
  return Frame.fromCSV(Buffer.concat(blocks), csvOptions(flags));
}

async function* zipBatches(path: string, flags: TextFlags): AsyncGenerator<RecordBatch> {
  // The reader of archives expects a file on the disk in the service's format, and declared columns.
  if (Object.keys(csvOptions(flags)).length > 0 || isOpenable(localFile(path, "sql", "a zip archive"))) {
    yield* (await readZip(path, flags)).table.batches;
    return;
  }
  const entry = await zipEntry(path);
  const columns = await columnsOfCsv(() => entry.chunks(), { columns: "infer" });
  yield* bulkFile(path, { columns, header: true }).batches();
}

const OTHER_FORMAT = "A file is read by its ending: rename it after what it holds, or download it again.";
const FAULTY_ROW = "Correct the file, or read it in a program, whose options accept more: docs/reading.md.";

/** What to do about a file that a command cannot read; codes that are not here keep the library's hint. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  WrongFormat: OTHER_FORMAT,
  NotZip: OTHER_FORMAT,
  BadArrow: OTHER_FORMAT,
  TruncatedJson: "The file ends too early: download it again.",
  BadJson: "A .jsonl file has one object on each line, a .json file an array of objects or a reply of the service.",
  UnexpectedShape: "A .json file holds an array of objects, or a reply of the service.",
  EmptyJsonLines: "Leave the file out.",
  ShortRow: FAULTY_ROW,
  LongRow: FAULTY_ROW,
  UnterminatedQuote: FAULTY_ROW,
  StrayQuote: FAULTY_ROW,
  BadUtf8: "Pass its encoding, such as --encoding windows-1252.",
  BadCell: FAULTY_ROW,
};

/** An error of reading a file for a command: its message names the file, its hint nothing that only programs have. */
function localError(path: string, error: unknown): unknown {
  if (!isArrowbookError(error)) return error;
  const { message, hint } = error;
  const named = message.includes(path) ? message : `${clip(path)}: ${message}`;
  const remedy = HINTS[error.code as ErrorCode] ?? hint;
  return reworded(error, named, { ...(remedy !== undefined && { hint: remedy }) });
}

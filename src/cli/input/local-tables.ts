import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { InputError } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { zipEntry } from "../../format/zip.js";
import type { CsvFileOptions } from "../../frame/files/csv-files.js";
import { Frame } from "../../frame/frame.js";

/** How columns of a file without declared types are read. */
interface TextFlags {
  readonly delimiter?: string;
}

type Read = (path: string, flags: TextFlags) => Promise<Frame>;

const csv =
  (delimiter?: string): Read =>
  (path, flags) =>
    Frame.fromCSV(path, csvOptions(flags.delimiter ?? delimiter));

const csvOptions = (delimiter: string | undefined): CsvFileOptions => ({
  columns: "infer",
  ...(delimiter !== undefined && { delimiter }),
});

/** The reader of a file by its ending, without `.gz` and `.zst`. */
const READERS: Readonly<Record<string, Read>> = {
  ".parquet": (path) => Frame.fromParquet(path),
  ".arrow": (path) => Frame.fromArrow(path),
  ".arrows": (path) => Frame.fromArrow(path),
  ".feather": (path) => Frame.fromArrow(path),
  ".ipc": (path) => Frame.fromArrow(path),
  ".csv": csv(),
  ".tsv": csv("\t"),
  ".jsonl": (path) => Frame.fromJSONLines(path),
  ".ndjson": (path) => Frame.fromJSONLines(path),
  ".json": readJson,
  ".zip": readZip,
};

/** The endings of files that are read, for the help. */
export const localEndings: string = Object.keys(READERS).join(", ");

/**
 * Reads files as tables by name: the name of the file without its ending, or the `name` of `name=path`.
 *
 * @throws {InputError} BadArgument for two tables of one name, UnknownFileType
 * @throws {FileError}
 * @throws {DataError}
 */
export async function localTables(words: readonly string[], flags: TextFlags = {}): Promise<Map<string, Frame>> {
  const tables = new Map<string, Frame>();
  const places = words.map(placeOf);
  for (const [i, { name, path }] of places.entries()) {
    const other = places.findIndex((place) => place.name.toLowerCase() === name.toLowerCase());
    if (other !== i) {
      throw new InputError(`${places[other].path} and ${path} would both be the table ${JSON.stringify(name)}.`, {
        code: "BadArgument",
        hint: `Name one of them: other=${path}`,
      });
    }
  }
  for (const { name, path, read } of places) tables.set(name, await read(path, flags));
  return tables;
}

interface Place {
  readonly name: string;
  readonly path: string;
  readonly read: Read;
}

function placeOf(word: string): Place {
  const named = existsSync(word) ? null : /^([^=/\\]+)=(.+)$/s.exec(word);
  const path = named?.[2] ?? word;
  // A folder of Parquet files is one table.
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = basename(path);
  const ending = /(\.[^.]+?)(\.gz|\.zst)?$/i.exec(file)?.[1]?.toLowerCase() ?? "";
  const read = isFolder ? READERS[".parquet"] : READERS[ending];
  if (read === undefined) {
    throw new InputError(`The file type of ${path} is unknown.`, {
      code: "UnknownFileType",
      hint: `Pass files that end in ${localEndings}, compressed or not, or a folder of Parquet files.`,
    });
  }
  return { name: named?.[1] ?? (isFolder ? file : file.replace(/\.[^.]+?(\.gz|\.zst)?$/i, "")), path, read };
}

/** An array of objects, as `-o rows.json` writes it, or a reply of the service. */
async function readJson(path: string): Promise<Frame> {
  const text = await readFile(path, "utf8").catch((error: unknown) => Promise.reject(fileError(path, "read", error)));
  return /^\s*\[/.test(text) ? Frame.fromRows(rowsIn(path, text)) : Frame.fromJSON(text);
}

function rowsIn(path: string, text: string): object[] {
  try {
    return JSON.parse(text) as object[];
  } catch (cause) {
    throw new InputError(`${path} is not JSON: ${(cause as Error).message}.`, {
      code: "BadArgument",
      cause,
      hint: "Pass an array of objects, or a reply of the service.",
    });
  }
}

/** The CSV file inside an archive. */
async function readZip(path: string, { delimiter }: TextFlags): Promise<Frame> {
  const blocks: Uint8Array[] = [];
  for await (const block of (await zipEntry(path)).chunks()) blocks.push(Buffer.from(block));
  return Frame.fromCSV(Buffer.concat(blocks), csvOptions(delimiter));
}

import { join } from "node:path";
import { TransformStream } from "node:stream/web";
import { type RecordBatch, type Schema, Table } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { kindOfArrow } from "../../columns/arrow/types.js";
import { takeRows } from "../../columns/table/take.js";
import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import type { Piece } from "./log.js";
import type { Batches } from "./place.js";
import { Tally } from "./rows.js";

/** How the rows of a mirror are split into files: by the text of a column, or the year or month of a date. */
export interface Split {
  readonly column: string;
  readonly unit?: "year" | "month";
}

/** The most files of one mirror: each is open, with a part of its rows in memory, while the copy is written. */
const MOST_FILES = 500;
/** Characters of `2024` and `2024-03` in a date. */
const UNIT_CHARS = { year: 4, month: 7 } as const;
const LONGEST_NAME = 100;

/**
 * Parses `ticker`, `date:year` or `date:month`.
 *
 * @throws {InputError} BadArgument for another unit
 */
export function parseSplit(by: string): Split {
  const [column, unit, ...more] = typeof by === "string" ? by.split(":") : [""];
  if (column !== "" && more.length === 0 && (unit === undefined || unit === "year" || unit === "month")) {
    return unit === undefined ? { column } : { column, unit };
  }
  throw new InputError(`Rows cannot be split by ${JSON.stringify(by)}.`, {
    code: "BadArgument",
    hint: 'Pass a column, such as "ticker", or the year or month of a date: "date:year", "date:month".',
  });
}

/** Writes rows, whose numbers are in the last column, into one Parquet file. */
export async function writePiece(folder: string, name: string, rows: Batches): Promise<Piece> {
  const { writeParquet } = await import("../../columns/parquet/write/write.js");
  const tally = new Tally();
  const { bytes } = await writeParquet(tally.of(rows), join(folder, name));
  return { name, bytes, ...tally.noted() };
}

/**
 * Writes the rows into one Parquet file for each value of the split's column, all in one pass; the order of the rows is
 * kept within each file. Without rows, one empty file.
 *
 * @throws {InputError} UnknownColumn; WrongType for the year of a column without dates; BadArgument for more than 500
 *   files
 */
export async function writeSplit(rows: Batches, folder: string, split: Split): Promise<Piece[]> {
  const parts = new Map<string | null, ReturnType<typeof openPart>>();
  let last: RecordBatch | undefined;
  const nameOf = fileNames(split);
  const partOf = (value: string | null) => {
    const found = parts.get(value);
    if (found !== undefined) return found;
    if (parts.size === MOST_FILES) throw tooMany(split);
    const part = openPart(folder, nameOf(value));
    parts.set(value, part);
    return part;
  };
  const put = async (value: string | null, batch: RecordBatch): Promise<void> => {
    const { writer, piece } = partOf(value);
    // A write fails after its file did.
    await writer.write(batch).catch(() => piece);
  };
  try {
    for await (const batch of rows) {
      last = batch;
      for (const [value, places] of rowsByValue(batch, placeOf(batch.schema, split), split)) {
        const taken = places.length === batch.numRows ? [batch] : takeRows(new Table([batch]), places).batches;
        for (const each of taken) await put(value, each);
      }
    }
    if (parts.size === 0 && last !== undefined) await put(null, last);
    const pieces: Piece[] = [];
    for (const [value, { writer, piece }] of parts) {
      await writer.close().catch(() => piece);
      pieces.push({ value, ...(await piece) });
    }
    return pieces.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    await Promise.allSettled([...parts.values()].flatMap(({ writer, piece }) => [writer.abort(error), piece]));
    throw error;
  }
}

/** A file that is written while its rows come. */
function openPart(folder: string, name: string) {
  const { readable, writable } = new TransformStream<RecordBatch, RecordBatch>();
  const piece = writePiece(folder, name, readable);
  piece.catch(() => undefined);
  return { writer: writable.getWriter(), piece };
}

function placeOf(schema: Schema, { column, unit }: Split): number {
  const names = schema.fields.map((field) => field.name);
  const at = names.indexOf(column);
  if (at < 0) {
    throw new InputError(`The table has no column ${JSON.stringify(column)} to split its rows by.`, {
      code: "UnknownColumn",
      column,
      hint: suggestion(column, names, "columns"),
    });
  }
  const kind = kindOfArrow(schema.fields[at].type);
  if (unit === undefined || kind === "date" || kind === "datetime") return at;
  throw new InputError(`The column ${JSON.stringify(column)} holds no dates, so rows cannot be split by ${unit}.`, {
    code: "WrongType",
    column,
    hint: `Pass ${JSON.stringify(column)} to make one file for each value, or a column of dates.`,
  });
}

function rowsByValue(batch: RecordBatch, at: number, { unit }: Split): Map<string | null, Uint32Array> {
  const reader = chunkReader(batch.data.children[at]);
  const rows = new Map<string | null, number[]>();
  for (let i = 0; i < batch.numRows; i++) {
    const text = reader.valid(i) ? reader.text(i) : null;
    const value = text === null || unit === undefined ? text : text.slice(0, UNIT_CHARS[unit]);
    const found = rows.get(value);
    if (found === undefined) rows.set(value, [i]);
    else found.push(i);
  }
  return new Map([...rows].map(([value, places]) => [value, Uint32Array.from(places)]));
}

/** Gives each value a file name that every file system takes, and that differs from the others in more than case. */
function fileNames({ column, unit }: Split): (value: string | null) => string {
  const head = encoded(unit === undefined ? column : `${column}_${unit}`);
  const used = new Set<string>();
  return (value) => {
    const wanted = (value === null ? head : `${head}-${encoded(value)}`).slice(0, LONGEST_NAME);
    let name = wanted;
    for (let n = 2; used.has(name.toLowerCase()); n++) name = `${wanted}.${n}`;
    used.add(name.toLowerCase());
    return `${name}.parquet`;
  };
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[*!'()~.%]/g, (mark) =>
    mark === "%" ? "=" : `=${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function tooMany({ column, unit }: Split): InputError {
  const what = unit === undefined ? `values of ${JSON.stringify(column)}` : `${unit}s`;
  return new InputError(`The rows have more than ${MOST_FILES} ${what}, so that many files would be open at once.`, {
    code: "BadArgument",
    hint: "Split by a column with fewer values, or by the year of a date.",
  });
}

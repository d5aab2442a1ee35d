import { firstCells } from "../../format/csv-records.js";
import { zipEntry } from "../../format/zip.js";
import type { ZipEntry, ZipOptions, ZipSource } from "../../format/zip-entry.js";
import type { RecordBatch, Table } from "../arrow/arrow.js";
import type { Batching, CsvOptions } from "../arrow/read-options.js";
import type { RawBatch } from "../build/builder.js";
import { csvReader } from "../csv/reader.js";
import { type PackedCsv, type PackedOptions, packedRaws } from "./packed-csv.js";

/**
 * Batches that a thread may finish before they are requested: enough that neither side waits, few enough for memory.
 */
const AHEAD = 2;

/** Options for reading the CSV file inside an archive. */
export interface ZipCsvOptions extends CsvOptions, Batching, PackedOptions, ZipOptions {}

/** Decides how a CSV file is read. `firstCells` reads the cells of its first line. */
export type CsvChooser = (firstCells: () => Promise<readonly string[]>) => CsvOptions | Promise<CsvOptions>;

/**
 * Reads the one CSV file of a zip archive (spec 2.5, 4.9) as a table; CRC-32 and sizes are checked.
 *
 * @throws {DataError}
 * @throws {FileError}
 */
export async function zipTable(source: ZipSource, options: ZipCsvOptions): Promise<Table> {
  const entry = await zipEntry(source, options);
  const reader = csvReader(options);
  const raws: RawBatch[] = [];
  const packed = packedEntry(entry, options);
  for await (const raw of packedRaws(packed, reader, options, Number.POSITIVE_INFINITY)) raws.push(raw);
  return reader.maker.table(raws);
}

/**
 * Reads the CSV file of an archive as record batches, one at a time. Rows are verified only once the end has been
 * reached: sizes and CRC-32 are checked last.
 *
 * @throws {DataError}
 * @throws {FileError}
 */
export async function* zipBatches(
  entry: ZipEntry,
  choose: CsvChooser,
  options: PackedOptions & ZipOptions,
): AsyncGenerator<RecordBatch> {
  let first: Promise<readonly string[]> | undefined;
  const firstLine = (): Promise<readonly string[]> => {
    first ??= firstCells(entry.chunks());
    return first;
  };
  const reader = csvReader(await choose(firstLine));
  for await (const raw of packedRaws(packedEntry(entry, options), reader, options, AHEAD)) {
    const batch = reader.maker.batch(raw);
    options.lent?.lend(batch, raw);
    yield batch;
  }
}

function packedEntry({ size, place, chunks }: ZipEntry, options: ZipOptions): PackedCsv {
  const { maxRatio, maxSize, freeSize } = options;
  return { size, chunks, task: place && { kind: "zip", place, limits: { maxRatio, maxSize, freeSize } } };
}

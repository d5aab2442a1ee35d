import { type ZipEntry, type ZipOptions, type ZipSource, zipEntry } from "../../format/zip.js";
import type { RecordBatch, Table } from "../arrow/arrow.js";
import type { RawBatch } from "../build/builder.js";
import { csvReader } from "../csv/reader.js";
import { type PackedCsv, type PackedOptions, packedRaws } from "./packed-csv.js";

/** Batches a thread may have finished before they are asked for: enough that neither waits, few enough for memory. */
const AHEAD = 2;

/** How the CSV file inside an archive is read. */
export interface ZipCsvOptions extends PackedOptions, ZipOptions {}

/**
 * The one CSV file of a zip archive (spec 2.5, 4.9) as a table, CRC-32 and sizes checked.
 *
 * @throws {DataError}
 * @throws {FileError}
 */
export async function zipTable(source: ZipSource, options: ZipCsvOptions): Promise<Table> {
  const entry = await zipEntry(source, options);
  const { parser, maker } = csvReader(options);
  const raws: RawBatch[] = [];
  for await (const raw of packedRaws(packedEntry(source, entry, options), parser, options, Number.POSITIVE_INFINITY))
    raws.push(raw);
  return maker.table(raws);
}

/**
 * The CSV file of an archive as record batches, one at a time. Nothing is final until the end is reached: sizes and
 * CRC-32 are checked last.
 *
 * @throws {DataError}
 * @throws {FileError}
 */
export async function* zipBatches(
  source: ZipSource,
  entry: ZipEntry,
  options: ZipCsvOptions,
): AsyncGenerator<RecordBatch> {
  const { parser, maker } = csvReader(options);
  for await (const raw of packedRaws(packedEntry(source, entry, options), parser, options, AHEAD)) {
    const batch = maker.batch(raw);
    options.lent?.lend(batch, raw);
    yield batch;
  }
}

function packedEntry(source: ZipSource, entry: ZipEntry, { maxRatio, maxSize }: ZipOptions): PackedCsv {
  const limits = { maxRatio, maxSize };
  return {
    size: entry.size,
    chunks: () => entry.chunks(),
    task: typeof source === "string" ? { kind: "zip", path: source, crc32: entry.crc32, limits } : undefined,
  };
}

import type { Table } from "../arrow/arrow.js";
import { groupWork } from "../parquet/read/flat-rows.js";
import type { ParquetRead } from "../parquet/read/options.js";
import { type ParquetSource, readParquet } from "../parquet/read/read.js";

/** A part of less work is not worth a thread, which takes about 100 ms to start and to run at full speed. */
const SHORTEST_PART = 16_777_216;

/**
 * A Parquet file, all files of a folder, or the bytes of a file as a table, as {@link readParquet}; the row groups of
 * long files are split over threads, with equal results.
 *
 * @param shortest work of a part that repays a thread ({@link groupWork})
 * @throws {FileError} where it cannot be read
 * @throws {DataError} BadParquet, UnsupportedParquet, SchemaMismatch; and for values that do not fit their types
 */
export async function parquetFileTable(
  source: ParquetSource,
  options: ParquetRead,
  shortest = SHORTEST_PART,
): Promise<Table> {
  const { columns, where } = options;
  const least = shortest * 2;
  if (typeof source === "string" && columns === undefined && where === undefined)
    (await import("./parquet-threads.js")).prepareParquetThreads(source, least);
  return readParquet(source, options, (file, state) => async (plan, ...call) => {
    if (groupWork(plan).reduce((sum, one) => sum + one, 0) < least) return undefined;
    const { decodeOnThreads } = await import("./parquet-threads.js");
    return decodeOnThreads(file, state, shortest)(plan, ...call);
  });
}

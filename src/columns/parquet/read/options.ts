import { InputError } from "../../../errors/errors.js";
import { checkWords } from "../../../errors/options.js";
import { shown } from "../../../errors/shown.js";
import type { Condition } from "../../../spec/vocabulary.js";
import { type Batching, checkReadOptions, type OnBytes, type ReadOptions } from "../../arrow/read-options.js";
import type { GrowthOptions } from "./format/growth.js";

/** How a Parquet file is read. The first value named is the default. */
export interface ParquetReadOptions extends ReadOptions, GrowthOptions {
  /** Names of the columns to read, in this order; default all. */
  readonly columns?: readonly string[];
  /**
   * Conditions that a row must meet, by column name. Row groups whose bounds in the footer exclude a match are not
   * read; on all others the conditions are applied exactly. A null meets none.
   */
  readonly where?: Readonly<Record<string, Condition>>;
  /** Nested columns (lists, maps, structs) are read, or left out. */
  readonly nested?: "read" | "skip";
}

/** Options of a read and what it reports. */
export type ParquetRead = ParquetReadOptions & Batching & OnBytes;

/** @throws {InputError} for an unknown option, or a value that it does not take */
export function checkParquetOptions(
  options: ParquetReadOptions | undefined,
  where: string,
  also: readonly string[] = [],
): void {
  checkReadOptions(options, where, ["columns", "where", "nested", "maxRatio", "maxSize", ...also]);
  checkWords(options, { nested: ["read", "skip"] });
  for (const name of ["maxRatio", "maxSize"] as const) {
    const limit: unknown = options?.[name];
    if (limit === undefined || (typeof limit === "number" && limit > 0)) continue;
    throw new InputError(`${where} expects ${name} to be a number above 0; got ${shown(limit)}.`, {
      code: "BadArgument",
    });
  }
  const { columns } = options ?? {};
  if (columns === undefined) return;
  if (!Array.isArray(columns) || columns.length === 0 || !columns.every((name) => typeof name === "string")) {
    throw new InputError(`${where} expects columns to be a list of at least one name; got ${shown(columns)}.`, {
      code: "BadArgument",
      hint: 'Pass names such as ["date", "close"], or leave columns out to read all of them.',
    });
  }
}

/** A compression of Parquet pages that every common reader supports. */
export type Compression = "zstd" | "snappy" | "none";

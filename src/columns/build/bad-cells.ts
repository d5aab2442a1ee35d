import type { CodeOf } from "../../errors/codes.js";
import { clip, DataError } from "../../errors/errors.js";
import { utf8Text } from "../../platform/node/bytes.js";
import type { CellReport, ReadOptions } from "../arrow/read-options.js";
import type { ColumnBuilder } from "./builder.js";
import { CELL_BAD_UTF8, CELL_LOSS, CELL_NESTED, CELL_OK, CELL_ROUNDED, CELL_TOO_WIDE } from "./types.js";

const EXAMPLES = 5;

interface Tally {
  readonly column: ColumnBuilder;
  readonly what: CellReport["what"];
  count: number;
  readonly examples: { row: number; value: string; offset: number }[];
}

/** Decides what happens to cells that do not fit (`onBadCell`, `onPrecisionLoss`) and counts them for `onReport`. */
export class CellPolicy {
  /** Rows in the batches before the current one. */
  rowsBefore = 0;
  private readonly firstRow: number;
  private readonly tallies = new Map<string, Tally>();
  private readonly nulls: boolean;
  private readonly onReport: ReadOptions["onReport"];

  constructor(options: ReadOptions) {
    this.firstRow = options.firstRow ?? 0;
    this.nulls = options.onBadCell === "null";
    this.onReport = options.onReport;
  }

  /** The row number, for messages and reports, of a row of the current batch. */
  rowNumber(row: number): number {
    return this.firstRow + this.rowsBefore + row;
  }

  /**
   * Reads `start` to `end` of `b` as a cell; `offset` is its position in the reply or file.
   *
   * @throws {DataError} BadCell, PrecisionLoss, BadUtf8 with row, column, value and byte offset, unless the options
   *   allow it
   */
  write(column: ColumnBuilder, row: number, b: Uint8Array, start: number, end: number, offset: number): void {
    if (column.isNullText(b, start, end)) {
      column.setNull(row);
      return;
    }
    const outcome = column.write(column, row, b, start, end);
    if (outcome === CELL_OK) return;
    const value = utf8Text(b, start, end);
    if (outcome === CELL_ROUNDED) this.count("rounded", column, row, value, offset);
    else this.bad(column, row, value, offset, outcome);
  }

  /** A cell that does not fit its column: an error, or null and counted. */
  bad(column: ColumnBuilder, row: number, value: string, offset: number, outcome: number): void {
    if (!this.nulls) throw badCell(column, this.rowNumber(row), value, offset, outcome);
    column.setNull(row);
    this.count("null", column, row, value, offset);
  }

  private count(what: CellReport["what"], column: ColumnBuilder, row: number, value: string, offset: number): void {
    const key = `${what} ${column.name}`;
    let tally = this.tallies.get(key);
    if (tally === undefined) {
      tally = { column, what, count: 0, examples: [] };
      this.tallies.set(key, tally);
    }
    tally.count++;
    if (tally.examples.length < EXAMPLES) {
      tally.examples.push({ row: this.rowNumber(row), value: clip(value), offset });
    }
  }

  /** The counts so far. */
  reports(): CellReport[] {
    return [...this.tallies.values()].map(({ column, what, count, examples }) => ({
      column: column.name,
      type: column.type,
      what,
      count,
      examples,
    }));
  }

  /** Passes the reports to `onReport` at the end of a read. */
  report(): void {
    if (this.onReport !== undefined) for (const report of this.reports()) this.onReport(report);
  }
}

/** The reports of one part of a read, and the number of its first row. */
export interface PartReports {
  readonly reports: readonly CellReport[];
  readonly before: number;
}

/** Merges the reports of all parts, in order, into those of a single reader. */
export function joinedReports(parts: readonly PartReports[]): CellReport[] {
  const all = new Map<string, CellReport>();
  for (const { reports, before } of parts) {
    for (const report of reports) {
      const key = `${report.what} ${report.column}`;
      const known = all.get(key);
      const moved = report.examples.map((example) => ({ ...example, row: example.row + before }));
      const examples = [...(known?.examples ?? []), ...moved].slice(0, 5);
      all.set(key, { ...report, count: (known?.count ?? 0) + report.count, examples });
    }
  }
  return [...all.values()];
}

function badCell(column: ColumnBuilder, row: number, value: string, offset: number, outcome: number): DataError {
  const { name, type } = column;
  const shown = JSON.stringify(clip(value));
  const [code, what, hint] = describe(outcome, type);
  return new DataError(`Row ${row}, column ${JSON.stringify(name)}: ${shown} ${what} (byte ${offset}).`, {
    code,
    row,
    column: name,
    value,
    offset,
    hint,
  });
}

function describe(outcome: number, type: string): readonly [code: CodeOf<"DataError">, what: string, hint: string] {
  switch (outcome) {
    case CELL_LOSS:
      return [
        "PrecisionLoss",
        `has more digits than ${type} keeps`,
        'Declare a larger scale, or pass onPrecisionLoss: "round".',
      ];
    case CELL_TOO_WIDE:
      return ["PrecisionLoss", `does not fit into ${type}`, 'Declare a wider type, or pass onBadCell: "null".'];
    case CELL_BAD_UTF8:
      return [
        "BadUtf8",
        "is not valid UTF-8",
        'Pass its encoding, such as encoding: "windows-1252", or onBadCell: "null" or lenient: { utf8: true }.',
      ];
    case CELL_NESTED:
      return [
        "BadCell",
        "is an array or object, and columns hold single values",
        'Flatten the data first, or pass onBadCell: "null".',
      ];
    default:
      return ["BadCell", `is not a valid ${type}`, 'Correct the type or the data, or pass onBadCell: "null".'];
  }
}

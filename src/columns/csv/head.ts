import { DataError } from "../../errors/errors.js";
import { type CsvRow, type CsvSyntax, INCOMPLETE, skipComment, skipLine } from "../../format/csv.js";
import { refuseFormat, SIGNATURE_BYTES } from "../../format/signature.js";
import { skipByteOrderMark } from "../../value/text.js";
import type { CsvOptions } from "../arrow/read-options.js";
import type { RowBytes } from "../build/row-blocks.js";
import { type HeaderNames, headerNames, isHeader, joinedNames, matchHeader } from "./header.js";
import type { RowFault } from "./row-error.js";

/** The bytes of a file and the row that they were last split into. */
export interface CsvInput {
  readonly options: CsvOptions;
  readonly syntax: CsvSyntax;
  readonly cursor: RowBytes;
  readonly row: CsvRow;
  /** Byte offset of the first byte of the cursor. */
  readonly base: number;
  /** Nothing follows the bytes of the cursor. */
  readonly last: boolean;
  /** Splits the row at the cursor into cells; {@link INCOMPLETE} if its end is missing. */
  split(): number;
  refused(fault: RowFault): DataError;
}

/** Reads what precedes the rows of a CSV file: a byte order mark, skipped lines, comments and the header. */
export class CsvHead {
  /** The names in the header, once it has been read. */
  names: HeaderNames | undefined;
  private linesToSkip: number;
  private readonly lines: HeaderNames[] = [];

  constructor(private readonly input: CsvInput) {
    this.linesToSkip = input.options.skipRows ?? 0;
  }

  /**
   * Moves the cursor to the first row.
   *
   * @returns the numbers of the columns in the order of the file, -1 for those that are not read; undefined if more
   *   bytes are needed
   */
  read(): readonly number[] | undefined {
    const { cursor, options } = this.input;
    const { header = true, headerRows = 1, columns, lenient = {} } = options;
    if (this.input.base + cursor.p === 0) {
      const bytes = cursor.b.subarray(cursor.p, cursor.end);
      if (bytes.length < SIGNATURE_BYTES && !this.input.last) return undefined;
      refuseFormat(bytes, "CSV text in UTF-8");
      cursor.p += skipByteOrderMark(bytes);
    }
    if (!this.skipLines()) return undefined;
    const places = columns.map((_, i) => i);
    if (header === false) return places;
    while (this.lines.length < headerRows) {
      if (!this.skipComments()) return undefined;
      if (cursor.p >= cursor.end && this.input.last) {
        if (header === "detect") return places;
        const what = this.lines.length === 0 ? "empty: not even a header line" : "incomplete: a header line is missing";
        throw new DataError(`The CSV text is ${what}.`, { code: "EmptyCsv", offset: Math.max(0, this.input.base) });
      }
      const next = this.input.split();
      if (next === INCOMPLETE) return undefined;
      const names = headerNames(cursor.b, this.input.row, lenient, this.input.syntax);
      if (header === "detect" && !isHeader(names, columns, lenient.header === true)) return places;
      this.checkUtf8(names);
      if (options.trailingDelimiter && names.length > 1 && names[names.length - 1] === "") names.pop();
      this.lines.push(names);
      cursor.p = next;
    }
    this.names = joinedNames(this.lines);
    if (options.byPosition && columns.length === 0) return this.names.map(() => -1);
    const names = options.byPosition ? this.names.map((name, i) => columns[i]?.name ?? name) : this.names;
    return matchHeader(names, columns, lenient.header === true);
  }

  /** Skips the lines of `skipRows`; false if one is incomplete. */
  private skipLines(): boolean {
    const { cursor, last } = this.input;
    for (; this.linesToSkip > 0 && !(last && cursor.p >= cursor.end); this.linesToSkip--) {
      const next = skipLine(cursor.b, cursor.p, cursor.end, last);
      if (next === INCOMPLETE) return false;
      cursor.p = next;
    }
    return true;
  }

  /** Skips comments before and between header lines; false if one is incomplete. */
  skipComments(): boolean {
    const { cursor, last } = this.input;
    for (;;) {
      const next = skipComment(cursor.b, cursor.p, cursor.end, last, this.input.syntax);
      if (next === INCOMPLETE) return false;
      if (next === cursor.p) return true;
      cursor.p = next;
    }
  }

  private checkUtf8(names: HeaderNames): void {
    const invalid = names.indexOf(undefined);
    if (invalid < 0) return;
    const hint = 'Pass its encoding, such as encoding: "latin1", or lenient: { utf8: true }.';
    const what = `is not valid UTF-8 in cell ${invalid + 1}`;
    throw this.input.refused({ code: "BadUtf8", what, hint, at: this.input.row.starts[invalid] });
  }
}

const QUOTE = 34;
const COMMA = 44;
export const LF = 10;
export const CR = 13;

/** Bits of {@link CsvRow.flags}: the cell was quoted; it contains doubled or escaped quotes. */
export const QUOTED = 1;
export const DOUBLED = 2;

/** The bytes that structure CSV; -1 for one that the dialect does not have. */
export interface CsvSyntax {
  readonly delimiter: number;
  readonly quote: number;
  /** Makes the quote after it, or itself after it, part of a quoted cell; doubled quotes do so in any dialect. */
  readonly escape: number;
  /** The start of lines that are skipped; empty if there are none. */
  readonly comment: Uint8Array;
  /**
   * Quotes that are text instead of a fault: none, those in cells without quotes around them, or any (in a quoted cell,
   * one that is not followed by a delimiter or line break, ignoring spaces).
   */
  readonly looseQuotes: "none" | "bare" | "all";
}

/** CSV as RFC 4180 and the service write it. */
export const STANDARD_CSV: CsvSyntax = {
  delimiter: COMMA,
  quote: QUOTE,
  escape: -1,
  comment: new Uint8Array(0),
  looseQuotes: "none",
};

/** The most columns of a row. */
const MAX_COLUMNS = 16_384;

/**
 * One row split into cells: `starts[i]` to `ends[i]` are the bytes of cell `i` without its quotes. Reused from row to
 * row.
 */
export interface CsvRow {
  count: number;
  readonly starts: number[];
  readonly ends: number[];
  readonly flags: number[];
  /** Why the row is malformed. */
  fault?: CsvFault;
}

/** Bytes whose next row begins at `p`. */
export interface CsvBytes {
  readonly b: Uint8Array;
  readonly p: number;
  readonly end: number;
}

/** An empty row to be filled by {@link splitRow}. */
export function csvRow(): CsvRow {
  return { count: 0, starts: [], ends: [], flags: [] };
}

/** Where and why a row is malformed. The caller, which tracks rows and columns, turns it into an error. */
export interface CsvFault {
  readonly code: "UnterminatedQuote" | "StrayQuote" | "TooManyColumns";
  readonly at: number;
  readonly cell: number;
}

/** Returned by {@link splitRow}: the row may continue after the available bytes. */
export const INCOMPLETE = -1;
/** Returned by {@link splitRow}: the row is malformed; see its `fault`. */
export const MALFORMED = -2;

/**
 * Splits the row at `p` into cells by RFC 4180: quotes, doubled quotes, line breaks in quotes; a row ends with CRLF, LF
 * or CR.
 *
 * @param last `end` is the end of the input, so that the row may end there
 * @returns the position after the row, {@link INCOMPLETE} or {@link MALFORMED}
 */
export function splitRow(bytes: CsvBytes, last: boolean, row: CsvRow, syntax: CsvSyntax): number {
  const { b, end } = bytes;
  const { delimiter, quote, looseQuotes } = syntax;
  const strict = looseQuotes === "none";
  let { p } = bytes;
  row.count = 0;
  for (;;) {
    const cell = row.count++;
    if (cell >= MAX_COLUMNS) return fault(row, "TooManyColumns", p, cell);
    row.flags[cell] = 0;
    if (p < end && b[p] === quote) {
      const open = p;
      p = quotedEnd(bytes, p + 1, last, row, syntax);
      if (p === INCOMPLETE) {
        if (!last) return INCOMPLETE;
        if (looseQuotes !== "all") return fault(row, "UnterminatedQuote", open, cell);
        p = end;
      } else if (p === MALFORMED) return fault(row, "StrayQuote", row.ends[cell], cell);
    } else {
      row.starts[cell] = p;
      while (p < end) {
        const c = b[p];
        if (c === delimiter || c === LF || c === CR || (c === quote && strict)) break;
        p++;
      }
      row.ends[cell] = p;
      if (strict && p < end && b[p] === quote) return fault(row, "StrayQuote", p, cell);
    }
    if (p >= end) return last ? end : INCOMPLETE;
    const c = b[p];
    if (c === delimiter) {
      p++;
      continue;
    }
    return afterBreak(b, p, end, last);
  }
}

/** The position after the line break at `p`; {@link INCOMPLETE} if a line feed may follow its CR. */
function afterBreak(b: Uint8Array, p: number, end: number, last: boolean): number {
  if (b[p] === LF) return p + 1;
  if (p + 1 >= end) return last ? end : INCOMPLETE;
  return b[p + 1] === LF ? p + 2 : p + 1;
}

/** The position after the line at `p`, whatever it holds, or {@link INCOMPLETE}. */
export function skipLine(b: Uint8Array, start: number, end: number, last: boolean): number {
  let p = start;
  while (p < end && b[p] !== LF && b[p] !== CR) p++;
  if (p >= end) return last ? end : INCOMPLETE;
  return afterBreak(b, p, end, last);
}

/**
 * The position after the comment line at `p`; `p` if there is none, {@link INCOMPLETE} if that or its end is not known
 * yet.
 */
export function skipComment(b: Uint8Array, p: number, end: number, last: boolean, { comment }: CsvSyntax): number {
  for (let i = 0; i < comment.length; i++) {
    if (p + i >= end) return last ? p : INCOMPLETE;
    if (b[p + i] !== comment[i]) return p;
  }
  return comment.length === 0 ? p : skipLine(b, p, end, last);
}

function fault(row: CsvRow, code: CsvFault["code"], at: number, cell: number): number {
  row.fault = { code, at, cell };
  return MALFORMED;
}

/** The position after the closing quote of the last cell of a row, whose text starts at `start`. */
function quotedEnd({ b, end }: CsvBytes, start: number, last: boolean, row: CsvRow, syntax: CsvSyntax): number {
  const { delimiter, quote, escape: before, looseQuotes } = syntax;
  const cell = row.count - 1;
  row.starts[cell] = start;
  row.ends[cell] = end;
  row.flags[cell] = QUOTED;
  for (let p = start; p < end; p++) {
    if (b[p] === before) {
      if (p + 1 >= end) return INCOMPLETE;
      if (b[p + 1] !== quote && b[p + 1] !== before) continue;
      row.flags[cell] = QUOTED | DOUBLED;
      p++;
      continue;
    }
    if (b[p] !== quote) continue;
    if (p + 1 >= end && !last) return INCOMPLETE;
    const next = p + 1 < end ? b[p + 1] : LF;
    if (next === quote) {
      row.flags[cell] = QUOTED | DOUBLED;
      p++;
    } else if (next === delimiter || next === LF || next === CR) {
      row.ends[cell] = p;
      return p + 1;
    } else if (looseQuotes !== "all") {
      row.ends[cell] = p + 1;
      return MALFORMED;
    } else {
      // Spaces may separate the closing quote from the end of the cell.
      let q = p + 1;
      while (q < end && b[q] === 32) q++;
      if (q >= end && !last) return INCOMPLETE;
      if (q >= end || b[q] === delimiter || b[q] === LF || b[q] === CR) {
        row.ends[cell] = p;
        return q;
      }
    }
  }
  return INCOMPLETE;
}

/**
 * Writes the text of a quoted cell into `out`, each doubled quote once and each escaped one without its escape.
 *
 * @returns the number of bytes, at most `end - start`
 */
export function undouble(
  b: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  { quote, escape: before }: CsvSyntax,
): number {
  let n = 0;
  for (let p = start; p < end; p++) {
    const next = p + 1 < end ? b[p + 1] : -1;
    if (b[p] === before && (next === quote || next === before)) p++;
    else if (b[p] === quote && next === quote) p++;
    out[n++] = b[p];
  }
  return n;
}

export const QUOTE = 34;
export const COMMA = 44;
export const LF = 10;
export const CR = 13;

/** Bits of {@link CsvRow.flags}: the cell was quoted, and holds doubled quotes. */
export const QUOTED = 1;
export const DOUBLED = 2;

/** Most columns of a row. */
const MAX_COLUMNS = 16_384;

/**
 * One row cut into cells: `starts[i]` to `ends[i]` are the bytes of cell `i` without its quotes. Reused from row to
 * row.
 */
export interface CsvRow {
  count: number;
  readonly starts: number[];
  readonly ends: number[];
  readonly flags: number[];
}

/** An empty row to be filled by {@link splitRow}. */
export function csvRow(): CsvRow {
  return { count: 0, starts: [], ends: [], flags: [] };
}

/** Where and how a row is malformed; the caller, who has rows and columns, makes the error of it. */
export interface CsvFault {
  readonly code: "UnterminatedQuote" | "StrayQuote" | "TooManyColumns";
  readonly at: number;
  readonly cell: number;
}

/** Returned by {@link splitRow}: the row may continue after the bytes at hand. */
export const INCOMPLETE = -1;
/** Returned by {@link splitRow}: `fault` was filled. */
export const MALFORMED = -2;

/** Takes what is wrong with a row. */
export interface FaultSlot {
  fault?: CsvFault;
}

/**
 * Cuts the row at `p` into cells by RFC 4180: quotes, doubled quotes, line breaks in quotes; a row ends with CRLF, LF
 * or CR.
 *
 * @param last no bytes follow `end`, so that the row may end there
 * @param loose quotes at odd places are text (a quote in a quoted cell is, unless a comma or line break follows it,
 *   spaces set aside)
 * @returns the position after the row, {@link INCOMPLETE} or {@link MALFORMED}
 */
export function splitRow(
  b: Uint8Array,
  start: number,
  end: number,
  last: boolean,
  loose: boolean,
  row: CsvRow,
  slot: FaultSlot,
): number {
  let p = start;
  row.count = 0;
  for (;;) {
    const cell = row.count++;
    if (cell >= MAX_COLUMNS) return fault(slot, "TooManyColumns", p, cell);
    row.flags[cell] = 0;
    if (p < end && b[p] === QUOTE) {
      const open = p;
      p = quotedEnd(b, p + 1, end, last, loose, row, cell);
      if (p === INCOMPLETE) {
        if (!last) return INCOMPLETE;
        if (!loose) return fault(slot, "UnterminatedQuote", open, cell);
        p = end;
      } else if (p === MALFORMED) return fault(slot, "StrayQuote", row.ends[cell], cell);
    } else {
      row.starts[cell] = p;
      while (p < end) {
        const c = b[p];
        if (c <= COMMA && (c === COMMA || c === LF || c === CR || (c === QUOTE && !loose))) break;
        p++;
      }
      row.ends[cell] = p;
      if (p < end && b[p] === QUOTE) return fault(slot, "StrayQuote", p, cell);
    }
    if (p >= end) return last ? end : INCOMPLETE;
    const c = b[p];
    if (c === COMMA) {
      p++;
      continue;
    }
    if (c === LF) return p + 1;
    if (p + 1 >= end) return last ? end : INCOMPLETE;
    return b[p + 1] === LF ? p + 2 : p + 1;
  }
}

function fault(slot: FaultSlot, code: CsvFault["code"], at: number, cell: number): number {
  slot.fault = { code, at, cell };
  return MALFORMED;
}

/** Position after the closing quote of the cell whose text starts at `start`. */
function quotedEnd(
  b: Uint8Array,
  start: number,
  end: number,
  last: boolean,
  loose: boolean,
  row: CsvRow,
  cell: number,
): number {
  row.starts[cell] = start;
  row.ends[cell] = end;
  row.flags[cell] = QUOTED;
  for (let p = start; p < end; p++) {
    if (b[p] !== QUOTE) continue;
    if (p + 1 >= end && !last) return INCOMPLETE;
    const next = p + 1 < end ? b[p + 1] : LF;
    if (next === QUOTE) {
      row.flags[cell] = QUOTED | DOUBLED;
      p++;
    } else if (next === COMMA || next === LF || next === CR) {
      row.ends[cell] = p;
      return p + 1;
    } else if (!loose) {
      row.ends[cell] = p + 1;
      return MALFORMED;
    } else {
      // Spaces may come between the closing quote and the end of the cell.
      let q = p + 1;
      while (q < end && b[q] === 32) q++;
      if (q >= end && !last) return INCOMPLETE;
      if (q >= end || b[q] === COMMA || b[q] === LF || b[q] === CR) {
        row.ends[cell] = p;
        return q;
      }
    }
  }
  return INCOMPLETE;
}

/**
 * Writes the text of a quoted cell into `out`, each doubled quote once.
 *
 * @returns the number of bytes, at most `end - start`
 */
export function undouble(b: Uint8Array, start: number, end: number, out: Uint8Array): number {
  let n = 0;
  for (let p = start; p < end; p++) {
    out[n++] = b[p];
    if (b[p] === QUOTE && p + 1 < end && b[p + 1] === QUOTE) p++;
  }
  return n;
}

/** 3 when there is a UTF-8 byte order mark at the front, else 0. */
export function skipByteOrderMark(b: Uint8Array): number {
  return b[0] === 0xef && b[1] === 0xbb && b[2] === 0xbf ? 3 : 0;
}

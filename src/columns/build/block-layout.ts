import type { ColumnBuilder } from "./builder.js";
import { hasNumberTable, TABLE_BYTES } from "./number-table.js";
import { TEXT } from "./types.js";

/** Bytes read at a time, including the start of an incomplete row from the previous ones. */
export const INPUT = 1_310_720;
/** Bytes before and after the input, and after texts, that the program may access. */
export const MARGIN = 64;
/** The most rows and cells of a block: its output stays in the processor's cache. */
const BLOCK_ROWS = 1_024;
const BLOCK_CELLS = 32_768;
/** Cell ends that the program may write past those of a block. */
const EXTRA_ENDS = 67;
/**
 * Sizes of the tables that map texts to dictionary numbers: initially, the most of one column, the most of all columns
 * together.
 */
const INITIAL_KNOWN = 1_024;
const MIN_INITIAL_KNOWN = 256;
const MAX_KNOWN = 32_768;
const MAX_KNOWN_TOTAL = 262_144;
export const MIN_KNOWN = 16;

/** How the memory of the program is divided. All positions are addresses in it. */
interface BlockLayout {
  /** Rows of a block, and marks of a row. */
  readonly rows: number;
  readonly marks: number;
  readonly endsAt: number;
  readonly oddAt: number;
  readonly notesAt: number;
  readonly heapAt: number;
  /** The most slots of a text column. */
  readonly mostKnown: number;
  /** For each column its values, its table of factors and its slots; 0 for those that it does not have. */
  readonly places: readonly { readonly out: number; readonly table: number; readonly slots: number }[];
  readonly end: number;
}

/**
 * Divides the memory of the program among the columns.
 *
 * @param syntax marks of a row besides those that end cells
 * @param program the address of its input, and the sizes of its records
 */
export function blockLayout(
  fields: readonly ColumnBuilder[],
  { before, after }: { readonly before: number; readonly after: number },
  {
    inputAt,
    slotBytes,
    noteWords,
  }: { readonly inputAt: number; readonly slotBytes: number; readonly noteWords: number },
): BlockLayout {
  const marks = before + fields.length + after;
  const rows = Math.max(1, Math.min(BLOCK_ROWS, Math.floor(BLOCK_CELLS / marks)));
  const texts = fields.filter((field) => field.reader === TEXT).length;
  const mostKnown = Math.max(MIN_KNOWN, Math.min(MAX_KNOWN, 2 ** Math.floor(Math.log2(MAX_KNOWN_TOTAL / texts))));
  let end = inputAt + INPUT + MARGIN;
  const room = (bytes: number): number => {
    const from = aligned(end);
    end = from + bytes;
    return from;
  };
  const endsAt = room((rows * marks + EXTRA_ENDS) * 4);
  const oddAt = room(rows * 4);
  const notesAt = room(rows * noteWords * 4);
  const heapAt = room(INPUT + MARGIN);
  const places = fields.map((field) => ({
    out: room(rows * Math.max(8, field.stride * 4)),
    table: hasNumberTable(field) ? room(TABLE_BYTES) : 0,
    slots: field.reader === TEXT ? room(mostKnown * slotBytes) : 0,
  }));
  return { rows, marks, endsAt, oddAt, notesAt, heapAt, mostKnown, places, end };
}

/** Texts that a column has slots for at first, if about `rows` rows are to come. */
export function initialKnown(rows: number): number {
  return rows < INITIAL_KNOWN ? MIN_INITIAL_KNOWN : INITIAL_KNOWN;
}

/** The next address that is a multiple of 64. */
export function aligned(address: number): number {
  return Math.ceil(address / 64) * 64;
}

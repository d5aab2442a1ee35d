// Rows as text, from columns as Arrow has them. This is AssemblyScript: TypeScript's grammar, WebAssembly's types.
// Positions are addresses in this memory. Behind every text, 16 bytes may be read, and behind the output written.

import { copied } from "./row-texts/copied";
import { date, timestamp } from "./row-texts/dates";
import { float, scaled } from "./row-texts/digits";

/** Kinds of columns, of which 4 is truths: what is at `values`. */
const WORDS: u32 = 0;
const DAYS: u32 = 1;
const TIMES: u32 = 2;
const DOUBLES: u32 = 3;
const ENTRIES: u32 = 5;
const TEXTS: u32 = 6;

/** A column. Each text is an address and a length; `open` and `nothing` begin with the separator of cells. */
@unmanaged
class Column {
  kind: u32;
  values: usize;
  /** Bitmap of the cells that are not null, and the number of its first bit; 0 where all are. */
  valid: usize;
  validFrom: u32;
  open: usize;
  openLength: u32;
  close: usize;
  closeLength: u32;
  nothing: usize;
  nothingLength: u32;
  /**
   * Words: how many 32-bit words a number has, and its scale. Times: digits of a second's fraction, and 10 to their
   * power. Truths: the number of the first bit. Entries: the address of their texts, and how many there are. Texts: the
   * address of their offsets, and that of a table which is 1 for each byte that is written as it is.
   */
  a: u32;
  b: u32;
  /** Texts: an empty one as it is written, with what is around it. */
  empty: usize;
  emptyLength: u32;
}

/** The texts around and between rows; the columns follow. */
@unmanaged
class Frame {
  open: usize;
  openLength: u32;
  next: usize;
  nextLength: u32;
  close: usize;
  closeLength: u32;
}

const TRUE: u32 = 0x65757274;
const FALSE: u32 = 0x736c6166;
const E: u8 = 0x65;

/** Where free memory begins. */
export function start(): usize {
  return __heap_base;
}

/**
 * Writes rows 0 to before `rows` to `out`.
 *
 * @param begins whether row 0 is the first of all
 * @returns the position after them; 0 if a cell is not as simple as this program expects
 */
export function write(rows: u32, columns: u32, begins: bool, frame: usize, out: usize): usize {
  const around = changetype<Frame>(frame);
  const first = frame + offsetof<Frame>();
  const last = first + <usize>columns * offsetof<Column>();
  let p = out;
  for (let row: u32 = 0; row < rows; row++) {
    p = begins && row == 0 ? copied(around.open, around.openLength, p) : copied(around.next, around.nextLength, p);
    for (let at = first; at < last; at += offsetof<Column>()) {
      const column = changetype<Column>(at);
      if (column.valid != 0 && !bit(column.valid, column.validFrom + row)) {
        p = copied(column.nothing, column.nothingLength, p);
        continue;
      }
      if (column.kind == ENTRIES) {
        const entry = load<u32>(column.values + (<usize>row << 2));
        if (entry >= column.b) return 0;
        const text = <usize>column.a + (<usize>entry << 3);
        p = copied(load<u32>(text), load<u32>(text, 4), p);
        continue;
      }
      if (column.kind == TEXTS) {
        p = textCell(column, row, p);
        if (p == 0) return 0;
        continue;
      }
      p = cell(column, row, copied(column.open, column.openLength, p));
      if (p == 0) return 0;
      p = copied(column.close, column.closeLength, p);
    }
    p = copied(around.close, around.closeLength, p);
  }
  return p;
}

@inline
function bit(bits: usize, i: u32): bool {
  return <bool>((load<u8>(bits + (i >> 3)) >> <u8>(i & 7)) & 1);
}

@inline
function cell(column: Column, row: u32, p: usize): usize {
  switch (column.kind) {
    case WORDS:
      return words(column.values + ((<usize>row * column.a) << 2), column.a, column.b, p);
    case DAYS:
      return date(load<i32>(column.values + (<usize>row << 2)), p);
    case TIMES:
      return timestamp(load<i64>(column.values + (<usize>row << 3)), column.a, column.b, p);
    case DOUBLES:
      return float(load<f64>(column.values + (<usize>row << 3)), p);
    default:
      return truth(bit(column.values, column.a + row), p);
  }
}

@inline
function truth(value: bool, p: usize): usize {
  store<u32>(p, value ? TRUE : FALSE);
  if (value) return p + 4;
  store<u8>(p, E, 4);
  return p + 5;
}

/** A number of `count` times 32 bits, little-endian two's complement; 0 where it needs more than 64. */
@inline
function words(at: usize, count: u32, scale: u32, p: usize): usize {
  if (count == 1) return scaled(load<i32>(at), scale, p);
  const value = load<i64>(at);
  for (let k: u32 = 2; k < count; k += 2) if (load<i64>(at + (k << 2)) != value >> 63) return 0;
  return scaled(value, scale, p);
}

function textCell(column: Column, row: u32, out: usize): usize {
  const offsets = <usize>column.a + (<usize>row << 2);
  const length = load<u32>(offsets, 4) - load<u32>(offsets);
  if (length == 0) return copied(column.empty, column.emptyLength, out);
  let p = copied(column.open, column.openLength, out);
  let from = column.values + load<u32>(offsets);
  const end = from + length;
  for (; from < end; from++, p++) {
    const byte = load<u8>(from);
    if (load<u8>(<usize>column.b + byte) == 0) return 0;
    store<u8>(p, byte);
  }
  return copied(column.close, column.closeLength, p);
}

/** Most symbols of a table. */
const SYMBOLS = 256;

const counts = memory.data(SYMBOLS * 2, 16);
const nexts = memory.data(SYMBOLS * 2, 16);

/** Where the last {@link readTable} has stopped reading, and the accuracy of its table. */
export let tableEnd: usize = 0;
export let accuracy: u32 = 0;

/**
 * Reads the description of an FSE table (RFC 8878, 4.1.1) into `table`: for each state the next state's base in the
 * lower 16 bits, the bits to add to it in the next 8, the symbol in the highest 8.
 *
 * @param most the largest accuracy allowed
 * @param symbols how many symbols there may be
 */
export function readTable(from: usize, end: usize, most: u32, symbols: u32, table: usize): bool {
  let at: u64 = 4;
  const size = <u64>(end - from) << 3;
  if (size < 8) return false;
  accuracy = (<u32>load<u8>(from) & 15) + 5;
  if (accuracy > most) return false;
  let left: i32 = (1 << accuracy) + 1;
  let symbol: u32 = 0;
  while (left > 1) {
    if (symbol >= symbols || at > size) return false;
    const limit = 32 - <u32>clz(<u32>left);
    const low = (<u32>1 << (limit - 1)) - 1;
    const unused = (<u32>1 << limit) - 1 - <u32>left;
    const raw = <u32>(load<u64>(from + <usize>(at >> 3)) >> (at & 7));
    let value = raw & ((<u32>1 << limit) - 1);
    if ((value & low) < unused) {
      value &= low;
      at += limit - 1;
    } else {
      if (value > low) value -= unused;
      at += limit;
    }
    const count = <i32>value - 1;
    store<i16>(counts + (symbol << 1), <i16>count);
    symbol++;
    left -= count < 0 ? 1 : count;
    if (left < 1) return false;
    if (count == 0) {
      for (;;) {
        if (at > size) return false;
        const more = <u32>(load<u64>(from + <usize>(at >> 3)) >> (at & 7)) & 3;
        at += 2;
        if (symbol + more > symbols) return false;
        for (let k: u32 = 0; k < more; k++, symbol++) store<i16>(counts + (symbol << 1), 0);
        if (more < 3) break;
      }
    }
  }
  if (at > size) return false;
  tableEnd = from + <usize>((at + 7) >> 3);
  return fillTable(counts, symbol, accuracy, table);
}

/** Makes the table of states from how often each symbol occurs; -1 is less than once. */
export function fillTable(occurrences: usize, symbols: u32, bits: u32, table: usize): bool {
  const size = <u32>1 << bits, mask = size - 1, step = (size >> 1) + (size >> 3) + 3;
  let high = size;
  for (let s: u32 = 0; s < symbols; s++) {
    const count = load<i16>(occurrences + (s << 1));
    if (count < 0) {
      if (high == 0) return false;
      store<u32>(table + (--high << 2), s << 24);
    }
    store<u16>(nexts + (s << 1), count < 0 ? 1 : <u16>count);
  }
  let place: u32 = 0;
  for (let s: u32 = 0; s < symbols; s++) {
    for (let k: i32 = load<i16>(occurrences + (s << 1)); k > 0; k--) {
      store<u32>(table + (place << 2), s << 24);
      do place = (place + step) & mask;
      while (place >= high);
    }
  }
  if (place != 0) return false;
  for (let i: u32 = 0; i < size; i++) {
    const symbol = load<u32>(table + (i << 2)) >> 24;
    const state = <u32>load<u16>(nexts + (symbol << 1));
    store<u16>(nexts + (symbol << 1), <u16>(state + 1));
    const more = bits - (31 - <u32>clz(state));
    store<u32>(table + (i << 2), (symbol << 24) | (more << 16) | ((state << more) - size));
  }
  return true;
}

/** A table of one symbol that takes no bits. */
export function fillSingle(symbol: u32, table: usize): void {
  store<u32>(table, symbol << 24);
}

// What is kept of the values of a group, in 64 bytes: their sum in 128 bits; how many there are, the rows of the
// smallest and the largest, 32 bits each; the smallest and the largest, 64 bits each.
const COUNT = 16;
const LEAST_ROW = 20;
const MOST_ROW = 24;
const LEAST = 32;
const MOST = 40;

@inline
function add(group: usize, value: i64, row: i32): void {
  const low = load<u64>(group) + <u64>value;
  store<u64>(group, low);
  store<i64>(group, load<i64>(group, 8) + (value >> 63) + <i64>(low < <u64>value), 8);
  const count = load<i32>(group, COUNT);
  store<i32>(group, count + 1, COUNT);
  if (count == 0 || value < load<i64>(group, LEAST)) {
    store<i64>(group, value, LEAST);
    store<i32>(group, row, LEAST_ROW);
  }
  if (count == 0 || value > load<i64>(group, MOST)) {
    store<i64>(group, value, MOST);
    store<i32>(group, row, MOST_ROW);
  }
}

/**
 * Adds `count` signed integers of `width` bytes (4, 8 or 16) to their groups, whose numbers have 32 bits and whose
 * states begin at `groups`; those whose validity bit is 0 are left out, if `bits` is not 0. The first has the row
 * number `row`. Returns how many there are before the first that 64 bits do not hold, at most `count`.
 */
export function summarize(
  values: usize,
  width: i32,
  bits: usize,
  numbers: usize,
  count: i32,
  row: i32,
  groups: usize,
): i32 {
  for (let i = 0; i < count; i++, numbers += 4, values += width) {
    if (bits != 0 && (load<u8>(bits + (i >> 3)) & (1 << (i & 7))) == 0) continue;
    const value = width == 4 ? <i64>load<i32>(values) : load<i64>(values);
    if (width == 16 && load<i64>(values, 8) != value >> 63) return i;
    add(groups + (<usize>load<u32>(numbers) << 6), value, row + i);
  }
  return count;
}

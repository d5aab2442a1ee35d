/**
 * Adds `count` integers of 128 bits modulo 2^128; `step` is 16, or 0 where one right operand is used for all.
 */
export function add(left: usize, right: usize, step: usize, count: i32, out: usize): void {
  for (const end = left + (<usize>count << 4); left < end; left += 16, right += step, out += 16) {
    const a = load<u64>(left);
    const low = a + load<u64>(right);
    store<u64>(out, low);
    store<u64>(out, load<u64>(left, 8) + load<u64>(right, 8) + <u64>(low < a), 8);
  }
}

/** As {@link add}, of differences. */
export function subtract(left: usize, right: usize, step: usize, count: i32, out: usize): void {
  for (const end = left + (<usize>count << 4); left < end; left += 16, right += step, out += 16) {
    const a = load<u64>(left);
    const b = load<u64>(right);
    store<u64>(out, a - b);
    store<u64>(out, load<u64>(left, 8) - load<u64>(right, 8) - <u64>(a < b), 8);
  }
}

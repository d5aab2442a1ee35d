/**
 * Copies values of 4, 8, 16 or 32 bytes to those rows of `out` whose bit is set; the value of row `i` is at
 * `from + i × step`, where `step` is the width, or 0. Reads and writes the rows of whole bytes.
 */
export function choose(bits: usize, count: i32, from: usize, step: usize, width: i32, out: usize): void {
  for (const end = bits + (<usize>(count + 7) >> 3); bits < end; bits++, from += step << 3, out += <usize>width << 3) {
    const byte = <i32>load<u8>(bits);
    if (byte == 0) continue;
    if (width == 4) choose32(byte, from, step, out);
    else if (width == 8) choose64(byte, from, step, out);
    else chooseWide(byte, from, step, width, out);
  }
}

@inline
function choose32(byte: i32, from: usize, step: usize, out: usize): void {
  const each = i32x4(1, 2, 4, 8);
  for (let i = 0; i < 8; i += 4, out += 16) {
    const mask = i32x4.eq(v128.and(i32x4.splat(byte >> i), each), each);
    const value = step == 0 ? v128.load32_splat(from) : v128.load(from + (<usize>i << 2));
    v128.store(out, v128.bitselect(value, v128.load(out), mask));
  }
}

@inline
function choose64(byte: i32, from: usize, step: usize, out: usize): void {
  const each = i64x2(1, 2);
  for (let i = 0; i < 8; i += 2, out += 16) {
    const mask = i64x2.eq(v128.and(i64x2.splat(byte >> i), each), each);
    const value = step == 0 ? v128.load64_splat(from) : v128.load(from + (<usize>i << 3));
    v128.store(out, v128.bitselect(value, v128.load(out), mask));
  }
}

@inline
function chooseWide(byte: i32, from: usize, step: usize, width: i32, out: usize): void {
  for (let i = 0; i < 8; i++, from += step) {
    const mask = i64x2.splat(-(<i64>((byte >> i) & 1)));
    for (let part = 0; part < width; part += 16, out += 16) {
      v128.store(out, v128.bitselect(v128.load(from + part), v128.load(out), mask));
    }
  }
}

const ZERO = 48;
const POINT = 46;

/** Digits of a whole number from 0 to 2^31 - 1. */
function digitCount(value: number): number {
  if (value < 100_000) {
    if (value < 100) return value < 10 ? 1 : 2;
    return value < 1_000 ? 3 : value < 10_000 ? 4 : 5;
  }
  if (value < 10_000_000) return value < 1_000_000 ? 6 : 7;
  return value < 100_000_000 ? 8 : value < 1_000_000_000 ? 9 : 10;
}

/** Writes a whole number from 0 to 2^31 - 1 in decimal digits at `at`; returns the position after it. */
export function writeDigits(value: number, out: Uint8Array, at: number): number {
  return writePadded(value, out, at, at + digitCount(value));
}

/** Fills `at` to `end` with the last digits of a whole number from 0 to 2^31 - 1, zeros first; returns `end`. */
export function writePadded(value: number, out: Uint8Array, at: number, end: number): number {
  let n = value | 0;
  for (let p = end - 1; p >= at; p--) {
    const next = (n / 10) | 0;
    out[p] = ZERO + n - Math.imul(next, 10);
    n = next;
  }
  return end;
}

/** Writes a whole number from 0 to 2^31 - 1 of which the last `scale` digits follow a point. */
export function writeScaled(value: number, scale: number, out: Uint8Array, at: number): number {
  if (scale === 0) return writeDigits(value, out, at);
  const point = at + Math.max(digitCount(value) - scale, 1);
  let n = value | 0;
  for (let p = point + scale; p >= at; p--) {
    if (p === point) out[p] = POINT;
    else {
      const next = (n / 10) | 0;
      out[p] = ZERO + n - Math.imul(next, 10);
      n = next;
    }
  }
  return point + scale + 1;
}

/** Copies of a record with one byte changed, and truncated, in each of its parts. */
export function* damagedCopies(bytes: Buffer): Generator<Uint8Array> {
  for (const at of [0, 40, 70, 90, 150, bytes.length >> 1, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at] ^= 1;
    yield changed;
    yield bytes.subarray(0, at);
  }
}

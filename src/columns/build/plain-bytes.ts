/**
 * A view of the bytes as a plain Uint8Array: loops over bytes become slower for all callers once they also see a
 * Buffer.
 */
export function plainBytes(bytes: Uint8Array, start = 0, end = bytes.length): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start);
}

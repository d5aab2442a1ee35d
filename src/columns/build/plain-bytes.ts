/** A view of the bytes that is a plain Uint8Array: a Buffer beside it would make every loop over bytes slower. */
export function plainBytes(bytes: Uint8Array, start = 0, end = bytes.length): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start);
}

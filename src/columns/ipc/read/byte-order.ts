import { LONGEST_INLINE, VIEW_BYTES } from "../../arrow/data-faults.js";

/** Copies bytes into the other byte order. Items have the given widths in turn, repeatedly. */
export function swapped(bytes: Uint8Array, widths: readonly number[]): Uint8Array {
  const out = new Uint8Array(bytes.length);
  for (let at = 0, item = 0; at < bytes.length; item++) {
    const width = widths[item % widths.length];
    const end = Math.min(at + width, bytes.length);
    for (let byte = at; byte < end; byte++) out[byte] = bytes[end - 1 - (byte - at)];
    at = end;
  }
  return out;
}

/** Swaps the byte order of views: lengths and offsets are numbers, inline text is not. */
export function swappedViews(bytes: Uint8Array): Uint8Array {
  const out = bytes.slice();
  for (let at = 0; at + VIEW_BYTES <= bytes.length; at += VIEW_BYTES) {
    out.set(swapped(bytes.subarray(at, at + 4), [4]), at);
    const size = new DataView(out.buffer, at).getInt32(0, true);
    if (size > LONGEST_INLINE) out.set(swapped(bytes.subarray(at + 8, at + VIEW_BYTES), [4]), at + 8);
  }
  return out;
}

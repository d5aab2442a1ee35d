import { Data, makeData, type Utf8 } from "../arrow/arrow.js";
import { LONGEST_INLINE, VIEW_BYTES } from "../arrow/data-faults.js";
import { TEXT_LIMIT, textTooLong } from "../build/text-limit.js";
import { gatherValidity, type Places, partOf } from "./take-places.js";

/** Copies strings or binary values row by row, in as many chunks as their 32-bit offsets need. */
export function gatherBytes(chunks: readonly Data[], places: Places): Data[] {
  const starts = chunks.map((data) => data.valueOffsets as Int32Array);
  const bytes = chunks.map((data) => (data.values as Uint8Array | undefined) ?? new Uint8Array(0));
  const parts: Data[] = [];
  let from = 0;
  do {
    const { valueOffsets, end } = offsetsFrom(starts, places, from);
    const part = from === 0 && end === places.row.length ? places : partOf(places, from, end);
    parts.push(copyBytes(chunks, { starts, bytes }, part, valueOffsets));
    from = end;
  } while (from < places.row.length);
  return parts;
}

/** As {@link gatherBytes}, in one chunk. */
export function gatherOneOfBytes(chunks: readonly Data[], places: Places): Data {
  const starts = chunks.map((data) => data.valueOffsets as Int32Array);
  const { end } = offsetsFrom(starts, places, 0);
  if (end === places.row.length) return gatherBytes(chunks, places)[0];
  const { row, chunk } = places;
  let length = 0;
  for (let i = 0; i < row.length; i++) {
    const offsets = starts[chunk === undefined ? 0 : chunk[i]];
    if (row[i] >= 0) length += offsets[row[i] + 1] - offsets[row[i]];
  }
  throw textTooLong(length);
}

/** The offsets of the values from a row on, up to the end or to the first row that they do not reach. */
function offsetsFrom(
  starts: readonly Int32Array[],
  { row, chunk }: Places,
  from: number,
): { readonly valueOffsets: Int32Array; readonly end: number } {
  const valueOffsets = new Int32Array(row.length - from + 1);
  const most = TEXT_LIMIT.bytes;
  let length = 0;
  for (let i = from; i < row.length; i++) {
    const offsets = starts[chunk === undefined ? 0 : chunk[i]];
    length += row[i] < 0 ? 0 : offsets[row[i] + 1] - offsets[row[i]];
    if (length > most && i > from) return { valueOffsets: valueOffsets.slice(0, i - from + 1), end: i };
    valueOffsets[i - from + 1] = length;
  }
  return { valueOffsets, end: row.length };
}

interface Source {
  readonly starts: readonly Int32Array[];
  readonly bytes: readonly Uint8Array[];
}

function copyBytes(chunks: readonly Data[], { starts, bytes }: Source, places: Places, valueOffsets: Int32Array): Data {
  const { row, chunk } = places;
  const data = new Uint8Array(valueOffsets[row.length]);
  for (let i = 0; i < row.length; i++) {
    let to = valueOffsets[i];
    const end = valueOffsets[i + 1];
    if (to === end) continue;
    const k = chunk === undefined ? 0 : chunk[i];
    const source = bytes[k];
    for (let at = starts[k][row[i]]; to < end; at++, to++) data[to] = source[at];
  }
  const type = chunks[0].type as Utf8;
  return makeData({ type, length: row.length, valueOffsets, data, ...gatherValidity(chunks, places) });
}

/** As {@link gatherBytes}, with 64-bit offsets. */
export function gatherLargeBytes(chunks: readonly Data[], places: Places): Data {
  const { row, chunk } = places;
  const starts = chunks.map((data) => data.valueOffsets as BigInt64Array);
  const ends = new BigInt64Array(row.length + 1);
  const parts: Uint8Array[] = [];
  for (let i = 0; i < row.length; i++) {
    const k = chunk === undefined ? 0 : chunk[i];
    const [start, end] = row[i] < 0 ? [0n, 0n] : [starts[k][row[i]], starts[k][row[i] + 1]];
    ends[i + 1] = ends[i] + end - start;
    if (end > start) parts.push((chunks[k].values as Uint8Array).subarray(Number(start), Number(end)));
  }
  const bytes = new Uint8Array(Number(ends[row.length]));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  const { nullCount, nullBitmap } = gatherValidity(chunks, places);
  return new Data(chunks[0].type, 0, row.length, nullCount, [ends, bytes, nullBitmap] as never);
}

/** 32-bit words of a view, and the position of the buffer number of a long value. */
const WORDS = VIEW_BYTES / 4;
const BUFFER_WORD = 2;

/** Copies views row by row; shares the buffers they refer to. */
export function gatherViews(chunks: readonly Data[], places: Places): Data {
  const { row, chunk } = places;
  const buffers: Uint8Array[] = [];
  const sources = chunks.map(({ values, variadicBuffers }) => {
    const first = buffers.length;
    for (const buffer of variadicBuffers) buffers.push(buffer as Uint8Array);
    return { words: wordsOf(values as Uint8Array), first };
  });
  const out = new Int32Array(row.length * WORDS);
  for (let i = 0; i < row.length; i++) {
    if (row[i] < 0) continue;
    const { words, first } = sources[chunk === undefined ? 0 : chunk[i]];
    for (let word = 0; word < WORDS; word++) out[i * WORDS + word] = words[row[i] * WORDS + word];
    if (out[i * WORDS] > LONGEST_INLINE) out[i * WORDS + BUFFER_WORD] += first;
  }
  const { nullCount, nullBitmap } = gatherValidity(chunks, places);
  const parts = [undefined, new Uint8Array(out.buffer), nullBitmap] as never;
  return new Data(chunks[0].type, 0, row.length, nullCount, parts, [], undefined, buffers);
}

/** Views as 32-bit words; a copy if they are not aligned. */
function wordsOf(views: Uint8Array): Int32Array {
  const { buffer, byteOffset, byteLength } = views.byteOffset % 4 === 0 ? views : new Uint8Array(views);
  return new Int32Array(buffer, byteOffset, byteLength / 4);
}

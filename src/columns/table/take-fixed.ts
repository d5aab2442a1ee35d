import { Data, DataType } from "../arrow/arrow.js";
import { unsafeBytes } from "../build/buffer-pool.js";
import { copyThrough, type RoutedColumn, routeOf } from "./take-blocks.js";
import { areFew, lookedUp } from "./take-few.js";
import { countOf, gatherValidity, type Places, type Runs, runsOf } from "./take-places.js";

/** Whether every value takes the same number of bytes. */
export const isFixedWidth = (type: DataType): boolean =>
  DataType.isInt(type) ||
  DataType.isFloat(type) ||
  DataType.isDecimal(type) ||
  DataType.isDate(type) ||
  DataType.isTime(type) ||
  DataType.isTimestamp(type) ||
  DataType.isDuration(type) ||
  DataType.isInterval(type) ||
  DataType.isFixedSizeBinary(type);

/**
 * Copies values of fixed width: a chunk for each of the parts, which together are the places. `outs` holds the values
 * of each part if they were copied before.
 */
export function gatherFixed(
  chunks: readonly Data[],
  places: Places,
  parts: readonly Places[],
  outs: readonly ArrayBufferLike[] = copiesOf(chunks, places, parts),
): Data[] {
  const { type, values } = chunks[0];
  const Values = values.constructor as new (buffer: ArrayBufferLike) => typeof values;
  return parts.map((part, k) => {
    const { nullBitmap, nullCount } = gatherValidity(chunks, part);
    return new Data(type, 0, countOf(part), nullCount, [undefined, new Values(outs[k]), nullBitmap] as never);
  });
}

/** These values of fixed width as a column to copy in two steps; undefined where that is not faster. */
export function routedColumn(chunks: readonly Data[], places: Places): RoutedColumn | undefined {
  const width = widthOf(chunks[0]);
  const route = routeOf(places, chunks, width);
  if (route === undefined) return undefined;
  return { route, width, from: viewsOf(chunks, Uint8Array).map((all, k) => all.subarray(0, chunks[k].length * width)) };
}

const widthOf = ({ values, stride }: Data): number => (values.BYTES_PER_ELEMENT as number) * stride;

/** The values of each part, by the way that is fastest for them. */
function copiesOf(chunks: readonly Data[], places: Places, parts: readonly Places[]): readonly ArrayBufferLike[] {
  const width = widthOf(chunks[0]);
  const sizeOf = (part: Places): number => width * countOf(part);
  const routed = routedColumn(chunks, places);
  if (routed !== undefined) {
    const outs = parts.map((part) => unsafeBytes(sizeOf(part)));
    copyThrough(routed, outs);
    return outs.map(({ buffer }) => buffer);
  }
  const bytes = viewsOf(chunks, Uint8Array);
  return parts.map((part) => {
    const isFew = areFew(chunks, width);
    const few = isFew ? lookedUp(bytes[0].subarray(0, chunks[0].length * width), width, part.row) : undefined;
    if (few !== undefined) return few.buffer;
    const out = new ArrayBuffer(sizeOf(part));
    copyValues(chunks, out, part, width);
    return out;
  });
}

function copyValues(chunks: readonly Data[], out: ArrayBufferLike, places: Places, width: number): void {
  if (width % 4 === 0) gather32(viewsOf(chunks, Uint32Array), new Uint32Array(out), places, width / 4);
  else if (width === 2) gather16(viewsOf(chunks, Uint16Array), new Uint16Array(out), places);
  else gather8(viewsOf(chunks, Uint8Array), new Uint8Array(out), places, width);
}

type View = new (buffer: ArrayBufferLike, offset: number, length: number) => unknown;

function viewsOf<T extends View & { readonly BYTES_PER_ELEMENT: number }>(chunks: readonly Data[], kind: T) {
  return chunks.map(({ values }) => {
    const view = values as Uint8Array;
    return new kind(view.buffer, view.byteOffset, view.byteLength / kind.BYTES_PER_ELEMENT) as InstanceType<T>;
  });
}

function gather32(from: readonly Uint32Array[], out: Uint32Array, places: Places, words: number): void {
  const runs = runsOf(places);
  if (runs !== undefined) copyRuns(from, out, runs, words);
  else if (words === 4) gather128(from, out, places);
  else {
    const { row, chunk } = places;
    let source = from[0];
    for (let i = 0, o = 0; i < row.length; i++, o += words) {
      const at = row[i];
      if (at < 0) continue;
      if (chunk !== undefined) source = from[chunk[i]];
      const start = at * words;
      for (let w = 0; w < words; w++) out[o + w] = source[start + w];
    }
  }
}

/** As {@link gather32}, for decimals of 128 bits. */
function gather128(from: readonly Uint32Array[], out: Uint32Array, { row, chunk }: Places): void {
  let source = from[0];
  for (let i = 0, o = 0; i < row.length; i++, o += 4) {
    if (row[i] < 0) continue;
    if (chunk !== undefined) source = from[chunk[i]];
    const start = row[i] * 4;
    out[o] = source[start];
    out[o + 1] = source[start + 1];
    out[o + 2] = source[start + 2];
    out[o + 3] = source[start + 3];
  }
}

function copyRuns(from: readonly Uint32Array[], out: Uint32Array, { chunk, first, length }: Runs, words: number): void {
  let at = 0;
  for (let k = 0; k < first.length; k++) {
    const start = first[k] * words;
    const size = length[k] * words;
    out.set(from[chunk[k]].subarray(start, start + size), at);
    at += size;
  }
}

function gather16(from: readonly Uint16Array[], out: Uint16Array, { row, chunk }: Places): void {
  for (let i = 0; i < row.length; i++) if (row[i] >= 0) out[i] = from[chunk === undefined ? 0 : chunk[i]][row[i]];
}

function gather8(from: readonly Uint8Array[], out: Uint8Array, { row, chunk }: Places, width: number): void {
  for (let i = 0; i < row.length; i++) {
    if (row[i] < 0) continue;
    const source = from[chunk === undefined ? 0 : chunk[i]];
    for (let w = 0; w < width; w++) out[i * width + w] = source[row[i] * width + w];
  }
}

import {
  type Data,
  type DataType,
  type Decimal,
  type RecordBatch,
  type Schema,
  Type,
  type Vector,
} from "../../columns/arrow/arrow.js";
import { ALL_VALID, chunkReader, validity } from "../../columns/arrow/cell-reader.js";
import { kindOfArrow } from "../../columns/arrow/types.js";
import { refuseUnknown, unreachable } from "../../errors/options.js";
import type { Engine, Rows, Stoppable, Verification, VerifiedColumn } from "./engine.js";
import { openRows } from "./rows.js";

/**
 * Digests of rows that do not depend on their order: the sum of 64-bit hashes of all cells of a column, and of all
 * rows. A cell hashes by its value, whatever Arrow type holds it: text of a dictionary as Utf8, integers and decimals
 * by their unscaled number, a date by its day. A timestamp hashes by its number, so that units must agree.
 */
export class RowsDigest {
  rows = 0;
  private readonly sums: Uint32Array;
  /** The hashes of one column in the current batch: two lanes of 32 bits. */
  private cells = new Lanes(0);
  /** The hashes of the rows of the batch that was added last. */
  lines = new Lanes(0);

  /** @param types the types whose values are compared, by column: text of decimals hashes as the decimal it spells */
  constructor(private readonly types: readonly DataType[]) {
    this.sums = new Uint32Array(2 * types.length + 2);
  }

  add(batch: RecordBatch): void {
    const { numRows } = batch;
    if (this.cells.size < numRows) {
      this.cells = new Lanes(numRows);
      this.lines = new Lanes(numRows);
    }
    const { cells, lines, sums } = this;
    lines.fill(0, numRows);
    batch.data.children.forEach((data, column) => {
      hashColumn(data as Data, this.types[column], cells);
      let [a, b] = [sums[2 * column], sums[2 * column + 1]];
      for (let i = 0; i < numRows; i++) {
        a = (a + cells.a[i]) | 0;
        b = (b + cells.b[i]) | 0;
        lines.a[i] = mixed(lines.a[i], cells.a[i]);
        lines.b[i] = mixed(lines.b[i], cells.b[i]);
      }
      [sums[2 * column], sums[2 * column + 1]] = [a, b];
    });
    const last = 2 * this.types.length;
    for (let i = 0; i < numRows; i++) {
      sums[last] += lines.a[i];
      sums[last + 1] += lines.b[i];
    }
    this.rows += numRows;
  }

  /** The digest of a column: 16 hexadecimal digits. */
  column(index: number): string {
    return this.hex(index);
  }

  /** The digest of whole rows, which also differs if cells of a column changed places. */
  whole(): string {
    return this.hex(this.types.length);
  }

  private hex(index: number): string {
    const part = (at: number): string => this.sums[at].toString(16).padStart(8, "0");
    return part(2 * index) + part(2 * index + 1);
  }
}

/** The types that {@link RowsDigest} compares for rows of this schema. */
export const digestTypes = (schema: Schema): readonly DataType[] => schema.fields.map(({ type }) => type as DataType);

class Lanes {
  readonly a: Uint32Array;
  readonly b: Uint32Array;

  constructor(readonly size: number) {
    this.a = new Uint32Array(size);
    this.b = new Uint32Array(size);
  }

  fill(value: number, rows: number): void {
    this.a.fill(value, 0, rows);
    this.b.fill(value, 0, rows);
  }
}

const NULL_A = 0x6e756c6c;
const NULL_B = 0x4e554c4c;

function mixed(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  const h = hash ^ Math.imul(k, 0x1b873593);
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

/** Its finalizer. */
function finished(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const SEED_A = 0x2f0b4c47;
const SEED_B = 0x3d4d51cb;

function setPair(out: Lanes, i: number, low: number, high: number): void {
  out.a[i] = finished(mixed(mixed(SEED_A, low), high));
  out.b[i] = finished(mixed(mixed(SEED_B, low), high));
}

function setInteger(out: Lanes, i: number, value: bigint): void {
  if (BigInt.asIntN(64, value) === value) {
    setPair(out, i, Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
    return;
  }
  let [a, b] = [SEED_A, SEED_B];
  for (let shift = 0n; shift < 256n; shift += 32n) {
    const word = Number(BigInt.asIntN(32, value >> shift));
    a = mixed(a, word);
    b = mixed(b, word);
  }
  out.a[i] = finished(a);
  out.b[i] = finished(b);
}

function hashColumn(data: Data, compared: DataType, out: Lanes): void {
  if (kindOfArrow(data.type) === "text" && compared.typeId === Type.Decimal) hashSpelledDecimals(data, compared, out);
  else hashValues(data, out);
  const valid = validity(data);
  if (valid === ALL_VALID) return;
  for (let i = 0; i < data.length; i++) {
    if (valid(i)) continue;
    out.a[i] = NULL_A;
    out.b[i] = NULL_B;
  }
}

function hashValues(data: Data, out: Lanes): void {
  const kind = kindOfArrow(data.type);
  switch (kind) {
    case "text":
      if (data.type.typeId === Type.Dictionary) hashDictionary(data, out);
      else if (data.type.typeId === Type.Utf8) hashUtf8(data, out);
      else hashPrinted(data, out);
      break;
    case "decimal":
      hashDecimals(data, out);
      break;
    case "double":
      hashDoubles(data, out);
      break;
    case "date":
      if (data.values instanceof Int32Array) {
        for (let i = 0; i < data.length; i++) setPair(out, i, data.values[i], data.values[i] >> 31);
      } else hashByReader(data, out);
      break;
    case "datetime":
    case "integer":
      if (data.values instanceof BigInt64Array) hashInt64(data, data.values, out);
      else hashByReader(data, out);
      break;
    case "boolean": {
      const { valid, value } = chunkReader(data);
      for (let i = 0; i < data.length; i++) if (valid(i)) setPair(out, i, value(i) === true ? 1 : 0, 0);
      break;
    }
    case "unknown":
      // Only columns of nulls can be stored; others are text as the reader prints it.
      if (data.type.typeId !== Type.Null) hashPrinted(data, out);
      break;
    default:
      unreachable(kind, "kind of column");
  }
}

function hashInt64(data: Data, values: BigInt64Array, out: Lanes): void {
  const words = new Int32Array(values.buffer, values.byteOffset, 2 * data.length);
  for (let i = 0; i < data.length; i++) setPair(out, i, words[2 * i], words[2 * i + 1]);
}

/** Integers of other widths; dates as days. */
function hashByReader(data: Data, out: Lanes): void {
  const { valid, integer } = chunkReader(data);
  for (let i = 0; i < data.length; i++) if (valid(i)) setInteger(out, i, integer?.(i) ?? 0n);
}

function hashDecimals(data: Data, out: Lanes): void {
  const { buffer, byteOffset } = data.values as unknown as Uint32Array;
  const count = (data.type as Decimal).bitWidth / 32;
  const words = new Int32Array(buffer, byteOffset, count * data.length);
  for (let i = 0; i < data.length; i++) {
    const at = i * count;
    const sign = words[at + 1] >> 31;
    let isShort = true;
    for (let w = 2; w < count; w++) isShort &&= words[at + w] === sign;
    if (isShort) {
      setPair(out, i, words[at], words[at + 1]);
      continue;
    }
    let [a, b] = [SEED_A, SEED_B];
    const extended = words[at + count - 1] >> 31;
    for (let w = 0; w < 8; w++) {
      const word = w < count ? words[at + w] : extended;
      a = mixed(a, word);
      b = mixed(b, word);
    }
    out.a[i] = finished(a);
    out.b[i] = finished(b);
  }
}

function hashDoubles(data: Data, out: Lanes): void {
  const { valid, number } = chunkReader(data);
  const double = new Float64Array(1);
  const words = new Int32Array(double.buffer);
  for (let i = 0; i < data.length; i++) {
    if (!valid(i)) continue;
    // One bit pattern for all NaN.
    const value = number?.(i) ?? Number.NaN;
    double[0] = Number.isNaN(value) ? Number.NaN : value;
    setPair(out, i, words[0], words[1]);
  }
}

const encoder = new TextEncoder();

function setBytes(out: Lanes, i: number, bytes: Uint8Array, start: number, end: number): void {
  let [a, b] = [SEED_A, SEED_B];
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    a = mixed(a, word);
    b = mixed(b, word);
  }
  let rest = end - start;
  for (; at < end; at++) rest = (Math.imul(rest, 257) + bytes[at] + 1) | 0;
  out.a[i] = finished(mixed(a, rest));
  out.b[i] = finished(mixed(b, rest));
}

function hashUtf8(data: Data, out: Lanes): void {
  const { valueOffsets, values } = data as unknown as { valueOffsets: Int32Array; values: Uint8Array };
  for (let i = 0; i < data.length; i++) setBytes(out, i, values, valueOffsets[i], valueOffsets[i + 1]);
}

function hashPrinted(data: Data, out: Lanes): void {
  const { valid, text } = chunkReader(data);
  for (let i = 0; i < data.length; i++) if (valid(i)) setText(out, i, text(i));
}

function setText(out: Lanes, i: number, text: string): void {
  const bytes = encoder.encode(text);
  setBytes(out, i, bytes, 0, bytes.length);
}

const dictionaries = new WeakMap<Vector, Lanes>();

function hashDictionary(data: Data, out: Lanes): void {
  const vector = data.dictionary as Vector;
  let hashes = dictionaries.get(vector);
  if (hashes === undefined) {
    hashes = new Lanes(vector.length);
    let at = 0;
    for (const chunk of vector.data) {
      const part = new Lanes(chunk.length);
      hashValues(chunk as Data, part);
      hashes.a.set(part.a, at);
      hashes.b.set(part.b, at);
      at += chunk.length;
    }
    dictionaries.set(vector, hashes);
  }
  const indices = data.values as unknown as ArrayLike<number | bigint>;
  for (let i = 0; i < data.length; i++) {
    const index = Number(indices[i]);
    out.a[i] = hashes.a[index];
    out.b[i] = hashes.b[index];
  }
}

/** Text that spells decimals with all digits of their scale, as an engine without such wide decimals stores them. */
function hashSpelledDecimals(data: Data, type: DataType, out: Lanes): void {
  const { scale } = type as Decimal;
  const spelled = new RegExp(scale === 0 ? "^-?\\d+$" : `^-?\\d+\\.\\d{${scale}}$`);
  const { valid, text } = chunkReader(data);
  for (let i = 0; i < data.length; i++) {
    if (!valid(i)) continue;
    const digits = text(i);
    if (spelled.test(digits)) setInteger(out, i, BigInt(digits.replace(".", "")));
    else setText(out, i, digits);
  }
}

/** {@link Engine.verify} of an engine: its source and what it reads back are streamed, one after the other. */
export async function verifyRows(
  engine: Engine,
  name: string,
  source: Rows,
  options: Stoppable = {},
): Promise<Verification> {
  refuseUnknown(options, ["signal"], "verify()");
  const { schema, batches } = await openRows(`the source of ${JSON.stringify(name)}`, source, options);
  const types = digestTypes(schema);
  const expected = new RowsDigest(types);
  for await (const batch of batches) expected.add(batch);
  const found = new RowsDigest(types);
  const { quoteName } = engine.dialect;
  const list = schema.fields.map((field) => quoteName(field.name)).join(", ");
  for await (const batch of engine.batches(`SELECT ${list} FROM ${quoteName(name)}`, [], options)) found.add(batch);
  const columns = schema.fields.map((field, i): VerifiedColumn => {
    const [digest, expectedDigest] = [found.column(i), expected.column(i)];
    return { name: field.name, equal: digest === expectedDigest, digest, expectedDigest };
  });
  const [digest, expectedDigest] = [found.whole(), expected.whole()];
  const equal = found.rows === expected.rows && digest === expectedDigest && columns.every((column) => column.equal);
  return { equal, rows: found.rows, expectedRows: expected.rows, columns, digest, expectedDigest };
}

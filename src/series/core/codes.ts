import { type Data, DataType, type Vector } from "../../columns/arrow/arrow.js";
import { cellText } from "../../columns/arrow/vector-values.js";
import { joined } from "./pieces.js";

/**
 * Values as small whole numbers: equal values of all vectors, and only those, have equal codes. Nulls equal each other.
 */
export interface Codes {
  /** One array for each vector, one code for each row. */
  readonly rows: readonly Int32Array[];
  /** Codes are below this; some may not occur. */
  readonly size: number;
}

type Seen = Map<unknown, number>;

/**
 * Codes over one or several vectors of like type. A dictionary without repeats gives its indices themselves, uncopied.
 */
export function codesOf(vectors: readonly Vector[]): Codes {
  const direct = vectors.length === 1 ? ownIndices(vectors[0]) : undefined;
  if (direct !== undefined) return { rows: [joined(direct.pieces, Int32Array)], size: direct.size };
  const seen: Seen = new Map();
  const rows = vectors.map((vector) => {
    const codes = new Int32Array(vector.length);
    let at = 0;
    for (const data of vector.data) {
      codeChunk(vector, data, at, seen, codes);
      at += data.length;
    }
    return codes;
  });
  return { rows, size: seen.size };
}

/**
 * The indices themselves, chunk by chunk, where all chunks share a dictionary whose entries all differ and nothing is
 * null.
 */
export function ownIndices(
  vector: Vector,
): { readonly pieces: readonly Int32Array[]; readonly size: number } | undefined {
  const chunks = vector.data.filter((data) => data.length > 0);
  const [first] = chunks;
  if (first === undefined || vector.nullCount > 0) return undefined;
  if (!DataType.isDictionary(first.type) || !(first.values instanceof Int32Array)) return undefined;
  if (!chunks.every((data) => sameDictionary(data, first))) return undefined;
  const dictionary = first.dictionary as Vector;
  if (!isDistinct(dictionary)) return undefined;
  const pieces = chunks.map((data) => (data.values as Int32Array).subarray(0, data.length));
  return { pieces, size: dictionary.length };
}

const known = new WeakMap<Vector, boolean>();

/** Whether no entry of a dictionary repeats and none is null; looked up once for each dictionary. */
function isDistinct(dictionary: Vector): boolean {
  let distinct = known.get(dictionary);
  if (distinct === undefined) {
    const entries = new Set<unknown>();
    for (let i = 0; i < dictionary.length; i++) entries.add(entryOf(dictionary, i));
    distinct = entries.size === dictionary.length && !entries.has(null);
    known.set(dictionary, distinct);
  }
  return distinct;
}

/** An entry as a value that equals its like: decimals and bytes, which Arrow gives as arrays, by their texts. */
function entryOf(dictionary: Vector, index: number): unknown {
  const value: unknown = dictionary.get(index);
  return typeof value === "object" && value !== null ? cellText(dictionary, index) : value;
}

/** Whether two chunks share one dictionary. */
function sameDictionary(a: Data, b: Data): boolean {
  const [x, y] = [a.dictionary, b.dictionary] as [Vector | undefined, Vector | undefined];
  if (x === undefined || y === undefined) return false;
  return x === y || (x.data.length === y.data.length && x.data.every((data, i) => data === y.data[i]));
}

function codeChunk(vector: Vector, data: Data, at: number, seen: Seen, codes: Int32Array): void {
  const nulls = data.nullCount > 0;
  if (DataType.isDictionary(data.type)) {
    const dictionary = data.dictionary as Vector;
    const map = new Int32Array(dictionary.length).fill(-1);
    for (let i = 0; i < data.length; i++) {
      const index = Number(data.values[i]);
      if (nulls && !data.getValid(i)) codes[at + i] = codeFor(null, seen);
      else if (map[index] !== -1) codes[at + i] = map[index];
      else codes[at + i] = map[index] = codeFor(entryOf(dictionary, index), seen);
    }
    return;
  }
  const plain = plainValues(data);
  for (let i = 0; i < data.length; i++) {
    const isNull = nulls && !data.getValid(i);
    codes[at + i] = codeFor(isNull ? null : plain ? plain[i] : cellText(vector, at + i), seen);
  }
}

/** Values that are equal exactly when the numbers in the buffer are; a `Map` takes 0 and -0, NaN and NaN as equal. */
function plainValues(data: Data): ArrayLike<number | bigint> | undefined {
  const { type } = data;
  if (DataType.isInt(type) || DataType.isFloat(type)) return data.values as ArrayLike<number | bigint>;
  if (DataType.isDate(type) && type.unit === 0) return data.values as Int32Array;
  return undefined;
}

function codeFor(value: unknown, seen: Seen): number {
  let code = seen.get(value);
  if (code === undefined) {
    code = seen.size;
    seen.set(value, code);
  }
  return code;
}

/** Codes of tuples: one number for each combination of the codes that occurs. */
export function combine(parts: readonly Codes[]): Codes {
  return parts.slice(1).reduce<Codes>(pair, parts[0]);
}

function pair(left: Codes, right: Codes): Codes {
  const seen = new Map<number, number>();
  const rows = left.rows.map((codes, part) => {
    const other = right.rows[part];
    const out = new Int32Array(codes.length);
    let lastKey = -1;
    let lastCode = -1;
    for (let i = 0; i < out.length; i++) {
      const key = codes[i] * right.size + other[i];
      if (key !== lastKey) {
        lastKey = key;
        lastCode = seen.get(key) ?? -1;
        if (lastCode === -1) {
          lastCode = seen.size;
          seen.set(key, lastCode);
        }
      }
      out[i] = lastCode;
    }
    return out;
  });
  return { rows, size: seen.size };
}

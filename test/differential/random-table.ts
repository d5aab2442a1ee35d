import {
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Timestamp,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import type { Random } from "../fuzz/random.js";

/** A cell as Arrow stores it: decimals and times as whole numbers of their unit, dates as days since 1970. */
export type Cell = null | bigint | number | string | boolean;

/** What a column holds. */
export type Kind = "integer" | "decimal" | "double" | "text" | "date" | "timestamp" | "boolean";

/** A column as the judges compute with it. */
export interface Model {
  readonly name: string;
  readonly kind: Kind;
  readonly type: DataType;
  /** Digits after the point of decimals; the power of ten of a timestamp's unit (0, 3, 6 or 9). */
  readonly scale: number;
  readonly cells: readonly Cell[];
}

/** The number of rows of one batch from which lists of positions and masks are made in blocks. */
const LONG = 65_537;

const KINDS: readonly Kind[] = ["integer", "decimal", "double", "text", "date", "timestamp", "boolean"];
const WORDS = ["", "a", "A", "aa", "b", "é", "z", "𝒳", "\uffee", "US", "USA", "null", "NaN", "0"];
const DOUBLES = [0, -0, 1, -1, 0.1, 1.5, -2.25, 285.25, 1e-7, 1e20, 9.96921e36, -1e300, 5e-324, 2 ** 53];
const NOT_NUMBERS = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** A type that a column of the kind may have. */
function typeOf(kind: Kind, random: Random): { readonly type: DataType; readonly scale: number } {
  switch (kind) {
    case "integer":
      return { type: random.oneIn(2) ? new Int32() : new Int64(), scale: 0 };
    case "decimal": {
      const [precision, width] = random.pick([
        [9, 128],
        [18, 128],
        [38, 128],
        [76, 256],
      ]);
      const scale = random.below(Math.min(precision, 12));
      return { type: new Decimal(scale, precision, width), scale };
    }
    case "double":
      return { type: new Float64(), scale: 0 };
    case "text":
      return { type: random.oneIn(2) ? new Utf8() : new Dictionary(new Utf8(), new Int32()), scale: 0 };
    case "date":
      return { type: new DateDay(), scale: 0 };
    case "timestamp": {
      const unit = random.below(4);
      return { type: new Timestamp(unit, random.oneIn(2) ? "UTC" : null), scale: 3 * unit };
    }
    case "boolean":
      return { type: new Bool(), scale: 0 };
  }
}

/** One cell that is not null. */
function cellOf(kind: Kind, type: DataType, scale: number, random: Random): Cell {
  const small = BigInt(random.below(21) - 10);
  switch (kind) {
    case "integer":
      if (random.oneIn(3) && (type as Int64).bitWidth === 64) {
        return random.pick([2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 62n, -(2n ** 62n)]) + small;
      }
      return random.oneIn(3) ? BigInt(random.below(2 ** 31)) : small;
    case "decimal": {
      const limit = 10n ** BigInt((type as Decimal).precision) - 1n;
      if (random.oneIn(6)) return random.oneIn(2) ? limit : -limit;
      const wide = random.oneIn(3) ? BigInt(random.bits()) * BigInt(random.bits()) * BigInt(random.bits()) : small;
      const units = wide % (limit + 1n);
      return random.oneIn(2) ? units : -units;
    }
    case "double":
      return random.oneIn(9) ? random.pick(NOT_NUMBERS) : random.pick(DOUBLES);
    case "text":
      return random.oneIn(3) ? `w${random.below(200)}` : random.pick(WORDS);
    case "date":
      return BigInt(random.oneIn(5) ? random.below(2_000_000) - 700_000 : 19_700 + random.below(40));
    case "timestamp": {
      const day = BigInt(19_700 + random.below(3)) * 86_400n * 10n ** BigInt(scale);
      return day + BigInt(random.below(5)) - 2n;
    }
    case "boolean":
      return random.oneIn(2);
  }
}

/** A column of `rows` cells; some have no null, some few different values, some nothing but nulls. */
export function randomModel(name: string, kind: Kind, rows: number, random: Random): Model {
  const { type, scale } = typeOf(kind, random);
  const nullOneIn = random.pick([3, 10, 1e9, 1]);
  const pool = Array.from({ length: random.pick([2, 5, 300]) }, () => cellOf(kind, type, scale, random));
  const cells = Array.from({ length: rows }, () => (random.oneIn(nullOneIn) ? null : random.pick(pool)));
  return { name, kind, type, scale, cells };
}

/** A random table: its columns as models, and the same as an Arrow table of random batches. */
export interface RandomTable {
  readonly models: readonly Model[];
  readonly table: Table;
  readonly rows: number;
}

/** Columns of every kind, or of these; about one table in forty has a batch of more than 65,536 rows. */
export function randomTable(random: Random, kinds: readonly Kind[] = KINDS, most = 40): RandomTable {
  const rows = most > 30 && random.oneIn(40) ? LONG + random.below(5_000) : random.below(most + 1);
  const models = kinds.map((kind, at) => randomModel(`${kind[0]}${at}`, kind, rows, random));
  return { models, table: arrowTable(models, random), rows };
}

/** The columns cut into batches anywhere, each of them a slice of longer buffers with a dictionary of its own. */
export function arrowTable(models: readonly Model[], random: Random): Table {
  const rows = models[0].cells.length;
  const cuts = Array.from({ length: random.below(4) }, () => random.below(rows + 1));
  const bounds = [0, ...(random.oneIn(2) ? [] : cuts), rows].sort((a, b) => a - b);
  const schema = new Schema(models.map(({ name, type }) => new Field(name, type, true)));
  const batches = bounds.slice(1).map((end, i) => {
    const from = bounds[i];
    const length = end - from;
    const children = models.map((model) => dataOf(model, from, end, random));
    return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }));
  });
  return new Table(schema, batches);
}

/** Cells as Arrow data: a slice between foreign cells that no verb may see. */
function dataOf({ kind, type, scale, cells }: Model, from: number, end: number, random: Random): Data {
  const front = random.below(9);
  const back = random.below(3);
  const foreign = (count: number): Cell[] => Array.from({ length: count }, () => cellOf(kind, type, scale, random));
  const all = [...foreign(front), ...cells.slice(from, end), ...foreign(back)];
  return wholeData(type, all).slice(front, end - from);
}

function wholeData(type: DataType, cells: readonly Cell[]): Data {
  const { length } = cells;
  const nullBitmap = new Uint8Array(((length + 63) >> 6) << 3);
  let nullCount = 0;
  for (let i = 0; i < length; i++) {
    if (cells[i] === null) nullCount++;
    else nullBitmap[i >> 3] |= 1 << (i & 7);
  }
  const valid = { length, nullCount, nullBitmap };
  if (type instanceof Utf8) return vectorFromArray(cells as (string | null)[], new Utf8()).data[0] ?? noText();
  if (type instanceof Dictionary) {
    // The dictionary of each batch has another order, and an unused entry.
    const words = [...new Set(["unused", ...[...cells].reverse()])].filter((cell) => cell !== null) as string[];
    const at = new Map(words.map((word, i) => [word, i]));
    const data = Int32Array.from(cells, (cell) => (cell === null ? 0 : (at.get(cell as string) as number)));
    return makeData({ type, ...valid, data, dictionary: vectorFromArray(words, new Utf8()) });
  }
  if (type instanceof Bool) {
    const data = new Uint8Array(nullBitmap.length);
    for (let i = 0; i < length; i++) if (cells[i] === true) data[i >> 3] |= 1 << (i & 7);
    return makeData({ type, ...valid, data });
  }
  if (type instanceof Float64) {
    return makeData({ type, ...valid, data: Float64Array.from(cells, (cell) => (cell === null ? 7 : Number(cell))) });
  }
  if (type instanceof Decimal) return makeData({ type, ...valid, data: decimalWords(cells, type.bitWidth / 32) });
  const units = cells.map((cell) => (cell === null ? 7n : BigInt(cell as bigint)));
  if (type instanceof Int32) return makeData({ type, ...valid, data: Int32Array.from(units, Number) });
  if (type instanceof DateDay) return makeData({ type, ...valid, data: Int32Array.from(units, Number) });
  if (type instanceof Timestamp) return makeData({ type, ...valid, data: BigInt64Array.from(units) });
  return makeData({ type: type as Int64, ...valid, data: BigInt64Array.from(units) });
}

const noText = (): Data => vectorFromArray([""], new Utf8()).data[0].slice(0, 0);

/** Two's complement, the lowest 32 bits first. */
function decimalWords(cells: readonly Cell[], width: number): Uint32Array {
  const data = new Uint32Array(cells.length * width);
  for (const [i, cell] of cells.entries()) {
    let rest = BigInt.asUintN(32 * width, (cell ?? 7n) as bigint);
    for (let word = 0; word < width; word++) {
      data[i * width + word] = Number(rest & 0xffff_ffffn);
      rest >>= 32n;
    }
  }
  return data;
}

import {
  type Data,
  DataType,
  type DateMillisecond,
  type Decimal,
  type Time,
  type Timestamp,
  type Vector,
} from "apache-arrow";
import type { Frame } from "../../src/index.js";
import type { Cell, Kind, Model } from "./random-table.js";

/** A cell that compares as its value: numbers without trailing zeros, times in nanoseconds; NaN is null. */
export type Canonical = null | string | number | boolean;

const POWER = Array.from({ length: 90 }, (_, i) => 10n ** BigInt(i));

/** A number of so many digits after the point, without trailing zeros: 1.50 and 1.5 are one. */
export function plain(units: bigint, scale: number): string {
  let at = scale;
  let rest = units;
  while (at > 0 && rest % 10n === 0n) {
    rest /= 10n;
    at--;
  }
  const digits = String(rest < 0n ? -rest : rest).padStart(at + 1, "0");
  const sign = rest < 0n ? "-" : "";
  return at === 0 ? sign + digits : `${sign}${digits.slice(0, -at)}.${digits.slice(-at)}`;
}

export function canonical(cell: Cell, kind: Kind, scale: number): Canonical {
  if (cell === null || Number.isNaN(cell)) return null;
  if (kind === "decimal" || kind === "integer") return plain(cell as bigint, scale);
  if (kind === "date") return `day ${cell}`;
  if (kind === "timestamp") return `ns ${(cell as bigint) * POWER[9 - scale]}`;
  return cell === 0 ? 0 : (cell as string | number | boolean);
}

/** All cells of a model. */
export const canonicals = (model: Model): Canonical[] =>
  model.cells.map((cell) => canonical(cell, model.kind, model.scale));

/** All cells of a vector, read from its buffers. */
export function cellsOfVector(vector: Vector): Canonical[] {
  return vector.data.flatMap((data) => Array.from({ length: data.length }, (_, i) => cellOfData(data, i)));
}

/** All columns of a frame by name. */
export const cellsOfFrame = (frame: Frame): Record<string, Canonical[]> =>
  Object.fromEntries(frame.columns.map(({ name }, i) => [name, cellsOfVector(frame.column(i).vector)]));

function cellOfData(data: Data, row: number): Canonical {
  const at = data.offset + row;
  const { type } = data;
  if (data.nullCount !== 0 && data.nullBitmap.length > 0 && ((data.nullBitmap[at >> 3] >> (at & 7)) & 1) === 0) {
    return null;
  }
  if (DataType.isDictionary(type)) {
    const word = cellsOfVector(data.dictionary as Vector)[Number(data.values[row])];
    return word ?? null;
  }
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) ? textAt(data, row) : valueAt(data, row, at);
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const textAt = (data: Data, row: number): string =>
  decoder.decode(data.values.subarray(Number(data.valueOffsets[row]), Number(data.valueOffsets[row + 1])));

function valueAt(data: Data, row: number, at: number): Canonical {
  const { type, values } = data;
  if (DataType.isBool(type)) return ((values[at >> 3] >> (at & 7)) & 1) === 1;
  if (DataType.isFloat(type)) return canonical(Number(values[row]), "double", 0);
  if (DataType.isDecimal(type)) {
    const { scale, bitWidth } = type as Decimal;
    const width = bitWidth / 32;
    let units = 0n;
    for (let word = width - 1; word >= 0; word--) units = (units << 32n) | BigInt(values[row * width + word]);
    return plain(BigInt.asIntN(bitWidth, units), scale);
  }
  if (DataType.isDate(type)) {
    const isDays = (type as DateMillisecond).unit === 0;
    return isDays ? `day ${values[row]}` : `ns ${BigInt(values[row]) * 1_000_000n}`;
  }
  if (DataType.isTimestamp(type) || DataType.isTime(type)) {
    return `ns ${BigInt(values[row]) * POWER[9 - 3 * (type as Timestamp | Time).unit]}`;
  }
  return plain(BigInt(values[row]), 0);
}

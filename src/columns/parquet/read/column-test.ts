import { InputError } from "../../../errors/errors.js";
import { parseType, type ServiceType } from "../../../spec/columns.js";
import { NO_DATE, readDate } from "../../../value/date.js";
import { unscaled } from "../../../value/decimal.js";
import { readTimestamp } from "../../../value/timestamp.js";
import { type Data, type Decimal, Type, type Vector } from "../../arrow/arrow.js";
import type { ComparedValue, Comparison } from "../../predicate/conditions.js";
import type { Bounds } from "./bounds.js";
import { isLocal, unitsPerMs } from "./format/leaf-type.js";
import type { Leaf } from "./format/types.js";

/** A comparison with the values of a column's type. */
export interface ColumnTest {
  /** Whether a row group with these bounds may hold a match. */
  mayMatch(bounds: Bounds): boolean;
  /** Sets to 0 the rows that do not match; rows without a value do not. */
  apply(data: Data, mask: Uint8Array): void;
}

/** How a value of a column compares with a constant: below 0, 0 or above 0. */
type Signed = number;

const holds: Readonly<Record<Comparison["operator"], (signed: Signed) => boolean>> = {
  eq: (signed) => signed === 0,
  gt: (signed) => signed > 0,
  gte: (signed) => signed >= 0,
  lt: (signed) => signed < 0,
  lte: (signed) => signed <= 0,
};

/** Whether any value from `least` to `most` may hold; both as they compare with the constant. */
function mayHold(operator: Comparison["operator"], least: Signed | undefined, most: Signed | undefined): boolean {
  if (operator === "eq") return !((least ?? 0) > 0) && !((most ?? 0) < 0);
  const best = operator === "gt" || operator === "gte" ? most : least;
  return best === undefined || holds[operator](best);
}

/**
 * The test of a comparison on a column of a service type.
 *
 * @param asDouble decimals of the column are read as doubles
 * @param leaf how timestamps of the column are stored; default: in milliseconds
 * @throws {InputError} BadArgument for a value that the type cannot be compared with
 */
export function columnTest(comparison: Comparison, typeName: string, asDouble: boolean, leaf?: Leaf): ColumnTest {
  const type = parseType(typeName);
  const each = comparison.values.map((value) => testOf(comparison, value, type, asDouble, leaf));
  if (each.length === 1) return each[0];
  return {
    mayMatch: (bounds) => each.some((test) => test.mayMatch(bounds)),
    apply(data, mask) {
      const any = new Uint8Array(mask.length);
      for (const test of each) {
        const own = mask.slice();
        test.apply(data, own);
        for (let i = 0; i < any.length; i++) any[i] |= own[i];
      }
      mask.set(any);
    },
  };
}

function testOf(
  comparison: Comparison,
  value: ComparedValue,
  type: ServiceType,
  asDouble: boolean,
  leaf: Leaf | undefined,
): ColumnTest {
  switch (type.kind) {
    case "text":
    case "unknown":
      if (typeof value === "string") return new BytesTest(comparison, Buffer.from(value));
      break;
    case "boolean":
      if (typeof value === "boolean") return new BooleanTest(comparison, value);
      break;
    case "double":
      if (isNumeric(value)) return new DoubleTest(comparison, Number(value));
      break;
    case "decimal":
      if (asDouble && isNumeric(value)) return new DoubleTest(comparison, Number(value));
      return exact(comparison, scaled(value, type.scale ?? 0), value, type);
    case "integer":
      return exact(comparison, scaled(value, 0), value, type);
    case "date":
      return exact(comparison, dayOf(value), value, type);
    case "datetime":
      return exact(comparison, instantOf(value, leaf), value, type);
  }
  throw wrongValue(comparison, value, type);
}

function exact(
  comparison: Comparison,
  constant: Constant | undefined,
  value: ComparedValue,
  type: ServiceType,
): ColumnTest {
  if (constant === undefined) throw wrongValue(comparison, value, type);
  return new IntegerTest(comparison, constant);
}

function wrongValue({ column }: Comparison, value: ComparedValue, { kind }: ServiceType): InputError {
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  return new InputError(`Column ${JSON.stringify(column)} cannot be compared with ${shown}: its type is ${kind}.`, {
    code: "BadArgument",
    column,
    hint: 'Compare text with strings, numbers with numbers or their text, dates with text such as "2024-02-29".',
  });
}

/** A number at the scale of a column: the greatest integer not above it, and whether it is that integer. */
interface Constant {
  readonly floor: bigint;
  readonly isWhole: boolean;
}

const NUMBER = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;
const isNumeric = (value: ComparedValue): boolean =>
  typeof value === "number" || typeof value === "bigint" || (typeof value === "string" && NUMBER.test(value));

/** A number, by its shortest text, as a whole number of units of `10 ** -scale`. */
function scaled(value: ComparedValue, scale: number): Constant | undefined {
  const parts = typeof value === "boolean" ? null : NUMBER.exec(String(value));
  if (parts === null) return undefined;
  const [, sign, whole, fraction = "", exponent = "0"] = parts;
  const digits = BigInt(`${whole}${fraction}`) * (sign === "-" ? -1n : 1n);
  const shift = Number(exponent) - fraction.length + scale;
  if (shift >= 0) return { floor: digits * 10n ** BigInt(shift), isWhole: true };
  const divisor = 10n ** BigInt(-shift);
  const rest = ((digits % divisor) + divisor) % divisor;
  return { floor: (digits - rest) / divisor, isWhole: rest === 0n };
}

function dayOf(value: ComparedValue): Constant | undefined {
  if (typeof value !== "string" || value.length !== 10) return undefined;
  const days = readDate(Buffer.from(value), 0);
  return days === NO_DATE ? undefined : { floor: BigInt(days), isWhole: true };
}

/** The seconds of a timestamp, the digits of their fraction, and its zone. */
const TIMESTAMP = /^(.{19})(?:\.(\d+))?(.*)$/;

/** A timestamp in the unit of a leaf, a day as its beginning; that of a local time needs no zone. */
function instantOf(value: ComparedValue, leaf: Leaf | undefined): Constant | undefined {
  if (typeof value !== "string") return undefined;
  const parts = TIMESTAMP.exec(dayOf(value) === undefined ? value : `${value}T00:00:00Z`);
  if (parts === null) return undefined;
  const [, clock, fraction = "", zone] = parts;
  const bytes = Buffer.from(`${clock}${zone === "" && leaf !== undefined && isLocal(leaf) ? "Z" : zone}`);
  const ms = readTimestamp(bytes, 0, bytes.length);
  if (!Number.isSafeInteger(ms)) return undefined;
  const perMs = leaf === undefined ? 1n : unitsPerMs(leaf);
  const rest = scaled(`0.${fraction}0`, perMs.toString().length + 2);
  return rest && { floor: BigInt(ms) * perMs + rest.floor, isWhole: rest.isWhole };
}

/** Runs `test` for the rows that are still in the mask and have a value. */
function applyEach(data: Data, mask: Uint8Array, test: (row: number) => boolean): void {
  const { nullBitmap } = data;
  const nulls = data.nullCount > 0 && nullBitmap ? nullBitmap : undefined;
  for (let i = 0; i < mask.length; i++) {
    if (mask[i] === 0) continue;
    if ((nulls !== undefined && (nulls[i >> 3] & (1 << (i & 7))) === 0) || !test(i)) mask[i] = 0;
  }
}

const EXACT = 2 ** 53;

/** Integers, unscaled decimals, days, and timestamps in their unit. */
class IntegerTest implements ColumnTest {
  private readonly near: number;

  constructor(
    private readonly comparison: Comparison,
    private readonly constant: Constant,
  ) {
    this.near = Number(constant.floor);
  }

  mayMatch({ least, most }: Bounds): boolean {
    const signed = (bound: Bounds["least"]): Signed | undefined =>
      typeof bound === "bigint" ? this.compare(bound) : undefined;
    return mayHold(this.comparison.operator, signed(least), signed(most));
  }

  apply(data: Data, mask: Uint8Array): void {
    const { buffer, byteOffset, byteLength } = data.values as ArrayBufferView;
    const words = new Int32Array(buffer as ArrayBuffer, byteOffset, byteLength >> 2);
    const stride =
      data.type.typeId === Type.Date ? 1 : data.type.typeId === Type.Decimal ? (data.type as Decimal).bitWidth / 32 : 2;
    const passes = holds[this.comparison.operator];
    const { near: constant } = this;
    const atFloor = this.constant.isWhole ? 0 : -1;
    const isNear = Math.abs(constant) < EXACT;
    applyEach(data, mask, (row) => {
      let near = words[row * stride + stride - 1];
      for (let k = stride - 2; k >= 0; k--) near = near * 2 ** 32 + (words[row * stride + k] >>> 0);
      // Below 2^53 doubles are exact, and one beyond is further away than any constant below.
      if (isNear) return passes(near === constant ? atFloor : near - constant);
      return passes(this.compare(unscaled(words, row * stride, stride)));
    });
  }

  private compare(value: bigint): Signed {
    const { floor, isWhole } = this.constant;
    if (value !== floor) return value < floor ? -1 : 1;
    return isWhole ? 0 : -1;
  }
}

class DoubleTest implements ColumnTest {
  constructor(
    private readonly comparison: Comparison,
    private readonly constant: number,
  ) {}

  mayMatch({ least, most }: Bounds): boolean {
    const signed = (bound: Bounds["least"]): Signed | undefined =>
      typeof bound === "number" ? Math.sign(bound - this.constant) : undefined;
    return mayHold(this.comparison.operator, signed(least), signed(most));
  }

  apply(data: Data, mask: Uint8Array): void {
    const values = data.values as Float64Array;
    const passes = holds[this.comparison.operator];
    // NaN compares with nothing: its difference is NaN.
    applyEach(data, mask, (row) => passes(values[row] === this.constant ? 0 : values[row] - this.constant));
  }
}

class BooleanTest implements ColumnTest {
  constructor(
    private readonly comparison: Comparison,
    private readonly constant: boolean,
  ) {}

  mayMatch(): boolean {
    return true;
  }

  apply(data: Data, mask: Uint8Array): void {
    const bits = data.values as Uint8Array;
    const passes = holds[this.comparison.operator];
    applyEach(data, mask, (row) => passes(Number((bits[row >> 3] & (1 << (row & 7))) !== 0) - Number(this.constant)));
  }
}

/** Text, in the order of its code points, which is that of its bytes. */
class BytesTest implements ColumnTest {
  constructor(
    private readonly comparison: Comparison,
    private readonly constant: Buffer,
  ) {}

  mayMatch({ least, most }: Bounds): boolean {
    const signed = (bound: Bounds["least"]): Signed | undefined =>
      bound instanceof Uint8Array ? Buffer.compare(bound, this.constant) : undefined;
    return mayHold(this.comparison.operator, signed(least), signed(most));
  }

  apply(data: Data, mask: Uint8Array): void {
    if (data.type.typeId !== Type.Dictionary) {
      const passes = this.passes(data);
      applyEach(data, mask, passes);
      return;
    }
    const numbers = data.values as Int32Array;
    const [texts] = (data.dictionary as Vector).data;
    const passes = this.passes(texts);
    const known = new Int8Array(texts.length).fill(-1);
    applyEach(data, mask, (row) => {
      const number = numbers[row];
      if (known[number] < 0) known[number] = Number(passes(number));
      return known[number] === 1;
    });
  }

  private passes(texts: Data): (i: number) => boolean {
    const bytes = texts.values as Uint8Array;
    const offsets = texts.valueOffsets as Int32Array;
    const { constant } = this;
    const passes = holds[this.comparison.operator];
    const isEqual = this.comparison.operator === "eq";
    return (i) => {
      if (isEqual && offsets[i + 1] - offsets[i] !== constant.length) return false;
      return passes(Buffer.compare(bytes.subarray(offsets[i], offsets[i + 1]), constant));
    };
  }
}

import { POWERS } from "../../value/decimal.js";
import { Bool, type Data, DataType, Vector } from "../arrow/arrow.js";
import { alignedBits } from "../arrow/bits.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { instantsOf } from "../arrow/instants.js";
import { allNull, both, isValid, mapChunks, mapPairs, presentOf, truthData, type Validity } from "../compute/chunks.js";
import { type Constant, exactConstant, numberConstant, SECONDS_PER_DAY, timeConstant } from "../compute/constant.js";
import { doublesOf, isNumber, type Operand } from "../compute/operands.js";
import { type Place, unlike, wrongConstant, wrongType } from "../compute/place.js";
import { isText, truthsOfTexts } from "../compute/texts.js";
import { big, exactType, isDays, small, timestampType, type Units, unitsOf } from "../compute/units.js";
import { compareText } from "../table/sort.js";

/** How two values compare. */
export type Comparison = "eq" | "ne" | "lt" | "le" | "gt" | "ge";

/** Which orders of two values make a comparison true: bit 0 less, bit 1 equal, bit 2 more. */
const TRUE_FOR: Readonly<Record<Comparison, number>> = { lt: 1, eq: 2, le: 3, gt: 4, ge: 6, ne: 5 };

/**
 * Truth values of a comparison with a column or a constant; null where either is null, as in SQL, or NaN. Decimals and
 * integers compare exactly, text by code point, `false` before `true`.
 *
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 */
export function compare(left: Vector, how: Comparison, right: Operand, place: Place): Vector {
  const accepted = TRUE_FOR[how];
  if (right === null) return nullTruths(left);
  return right instanceof Vector ? columns(left, accepted, right, place) : constant(left, accepted, right, place);
}

/** A column of truth values that are all null. */
export const nullTruths = (like: Vector): Vector =>
  allNull(like, (length, valid) => truthData(length, new Uint8Array((length + 7) >> 3), valid), new Bool());

/** Truth values of every chunk; `order` writes the bits. */
function truths(left: Vector, write: (data: Data, valid: Validity, bits: Uint8Array) => void): Vector {
  return mapChunks(left, new Bool(), (data) => {
    const bits = new Uint8Array((data.length + 7) >> 3);
    const valid = presentOf(data);
    write(data, valid, bits);
    return truthData(data.length, bits, valid);
  });
}

function constant(left: Vector, accepted: number, value: Exclude<Constant, null>, place: Place): Vector {
  const type = left.type as DataType;
  if (isText(type)) {
    if (typeof value !== "string") throw wrongConstant(place, type, value);
    return truthsOfTexts(left, (text) => isTrue(accepted, Math.sign(compareText(text, value))));
  }
  if (DataType.isBool(type)) {
    if (typeof value !== "boolean") throw wrongConstant(place, type, value);
    return truths(left, (data, _, bits) => compareBits(data, undefined, value, accepted, bits));
  }
  const threshold = thresholdOf(type, value, place);
  if (threshold !== undefined && DataType.isDate(type) && !isDays(type)) return dates(left, accepted, threshold);
  if (threshold !== undefined) {
    return truths(left, (data, valid, bits) =>
      compareToThreshold(unitsOf(data), threshold, accepted, bits, valid, data.length),
    );
  }
  if (!isNumber(type)) throw wrongType(place, type, "numbers, text, dates, timestamps or truth values");
  const number = numberConstant(value, type, place);
  if (Number.isNaN(number)) return nullTruths(left);
  return truths(left, (data, _, bits) => compareDoubles(doublesOf(data), Float64Array.of(number), 0, accepted, bits));
}

const isTrue = (accepted: number, order: number): boolean => ((accepted >> (order + 1)) & 1) === 1;

/** A constant among the units of a column. */
interface Threshold {
  /** The largest whole number of units that is not above the constant. */
  readonly floor: bigint;
  /** Whether it is the constant itself; else the constant is between this and the next. */
  readonly isExact: boolean;
}

/** The constant in units of an exact column, of timestamps or of days; undefined for other columns. */
export function thresholdOf(type: DataType, value: Exclude<Constant, null>, place: Place): Threshold | undefined {
  const exact = exactType(type);
  if (exact !== undefined) {
    const found = exactConstant(value, type, place);
    return found === undefined ? undefined : scaled(found.units, found.scale, exact.scale);
  }
  const timestamps = timestampType(type);
  if (timestamps === undefined && !DataType.isDate(type)) return undefined;
  const { units, scale } = timeConstant(value, type, place);
  if (timestamps !== undefined) return scaled(units, scale, timestamps.scale);
  const days = divided(units, BigInt(SECONDS_PER_DAY) * 10n ** BigInt(scale));
  // A `Date` is its UTC day, as in the cells of such a column.
  return value instanceof Date ? { floor: days.floor, isExact: true } : days;
}

function scaled(units: bigint, from: number, to: number): Threshold {
  if (from <= to) return { floor: units * 10n ** BigInt(to - from), isExact: true };
  return divided(units, 10n ** BigInt(from - to));
}

function divided(units: bigint, divisor: bigint): Threshold {
  const rest = ((units % divisor) + divisor) % divisor;
  return { floor: (units - rest) / divisor, isExact: rest === 0n };
}

const HALF = 2 ** 52;

function compareToThreshold(
  units: Units,
  { floor, isExact }: Threshold,
  accepted: number,
  bits: Uint8Array,
  valid: Validity,
  length: number,
): void {
  const { words, count, step } = units;
  // A value equal to the largest one below the constant is less than it.
  const orders = isExact ? accepted : (accepted & 5) | ((accepted & 1) << 1);
  const near = floor >= -BigInt(HALF) && floor <= BigInt(HALF) ? Number(floor) : Number.NaN;
  for (let i = 0; i < length; i++) {
    const value = small(words, i * step, count);
    let order = (value > near ? 1 : 0) - (value < near ? 1 : 0);
    if (order === 0 && value !== near) {
      if (!isValid(valid, i)) continue;
      const large = big(units, i);
      order = large > floor ? 1 : large < floor ? -1 : 0;
    }
    if (((orders >> (order + 1)) & 1) === 1) bits[i >> 3] |= 1 << (i & 7);
  }
}

function compareDoubles(a: Float64Array, b: Float64Array, step: 0 | 1, accepted: number, bits: Uint8Array): void {
  for (let i = 0; i < a.length; i++) {
    const x = a[i];
    const y = b[i * step];
    const order = x < y ? 1 : x === y ? 2 : x > y ? 4 : 0;
    if ((accepted & order) !== 0) bits[i >> 3] |= 1 << (i & 7);
  }
}

/** Dates in milliseconds (`Date64`): whole days in effect. */
function dates(left: Vector, accepted: number, { floor, isExact }: Threshold): Vector {
  const most = Number(floor);
  return truths(left, (data, valid, bits) => {
    const { days } = instantsOf(data);
    for (let i = 0; i < data.length; i++) {
      const order = Math.sign(days(i) - most) || (isExact ? 0 : -1);
      if (isValid(valid, i) && isTrue(accepted, order)) bits[i >> 3] |= 1 << (i & 7);
    }
  });
}

function compareBits(data: Data, other: Data | undefined, value: boolean, accepted: number, bits: Uint8Array): void {
  const a = alignedBits(data.values as Uint8Array, data.offset, data.length);
  const b = other === undefined ? undefined : alignedBits(other.values as Uint8Array, other.offset, other.length);
  for (let i = 0; i < bits.length; i++) {
    const y = b === undefined ? (value ? 255 : 0) : b[i];
    const less = (accepted & 1) === 1 ? ~a[i] & y : 0;
    const equal = (accepted & 2) === 2 ? ~(a[i] ^ y) : 0;
    const more = (accepted & 4) === 4 ? a[i] & ~y : 0;
    bits[i] = less | equal | more;
  }
}

function columns(left: Vector, accepted: number, right: Vector, place: Place): Vector {
  const [a, b] = [left.type as DataType, right.type as DataType];
  const write = writerFor(a, b, accepted);
  if (write === undefined) throw unlike(place, a, b);
  return mapPairs(left, right, new Bool(), place, (pair) => {
    const { length } = pair.left;
    const bits = new Uint8Array((length + 7) >> 3);
    const valid = both(presentOf(pair.left), presentOf(pair.right));
    write(pair.left, pair.right, valid, bits);
    return truthData(length, bits, valid);
  });
}

type Write = (left: Data, right: Data, valid: Validity, bits: Uint8Array) => void;

/** How values of two types compare; undefined where they do not. */
function writerFor(a: DataType, b: DataType, accepted: number): Write | undefined {
  if (isText(a) && isText(b)) return (left, right, valid, bits) => compareTexts(left, right, valid, accepted, bits);
  if (DataType.isBool(a) && DataType.isBool(b)) {
    return (left, right, _, bits) => compareBits(left, right, false, accepted, bits);
  }
  const scales = [exactType(a)?.scale ?? timestampType(a)?.scale, exactType(b)?.scale ?? timestampType(b)?.scale];
  const isSameSort = (exactType(a) === undefined) === (exactType(b) === undefined);
  if (scales[0] !== undefined && scales[1] !== undefined && isSameSort) {
    const powers = [Math.max(0, scales[1] - scales[0]), Math.max(0, scales[0] - scales[1])] as const;
    return (left, right, valid, bits) =>
      compareUnits(unitsOf(left), unitsOf(right), powers, accepted, valid, bits, left.length);
  }
  if (isDays(a) && isDays(b)) {
    return (left, right, valid, bits) =>
      compareUnits(unitsOf(left), unitsOf(right), [0, 0], accepted, valid, bits, left.length);
  }
  if (isNumber(a) && isNumber(b)) {
    return (left, right, _, bits) => compareDoubles(doublesOf(left), doublesOf(right), 1, accepted, bits);
  }
  if (isTime(a) && isTime(b)) return (left, right, valid, bits) => compareTimes(left, right, valid, accepted, bits);
  return undefined;
}

const isTime = (type: DataType): boolean => DataType.isDate(type) || DataType.isTimestamp(type);

function compareUnits(
  a: Units,
  b: Units,
  [powerA, powerB]: readonly [number, number],
  accepted: number,
  valid: Validity,
  bits: Uint8Array,
  length: number,
): void {
  const [fa, fb] = [POWERS[powerA], POWERS[powerB]];
  for (let i = 0; i < length; i++) {
    const x = small(a.words, i * a.step, a.count) * fa;
    const y = small(b.words, i * b.step, b.count) * fb;
    let order = 0;
    if (Math.abs(x) <= HALF && Math.abs(y) <= HALF) order = (x > y ? 1 : 0) - (x < y ? 1 : 0);
    else {
      if (!isValid(valid, i)) continue;
      const [m, n] = [big(a, i) * 10n ** BigInt(powerA), big(b, i) * 10n ** BigInt(powerB)];
      order = m > n ? 1 : m < n ? -1 : 0;
    }
    if (((accepted >> (order + 1)) & 1) === 1) bits[i >> 3] |= 1 << (i & 7);
  }
}

function compareTexts(left: Data, right: Data, valid: Validity, accepted: number, bits: Uint8Array): void {
  const [a, b] = [chunkReader(left), chunkReader(right)];
  for (let i = 0; i < left.length; i++) {
    if (!isValid(valid, i)) continue;
    if (isTrue(accepted, Math.sign(compareText(a.text(i), b.text(i))))) bits[i >> 3] |= 1 << (i & 7);
  }
}

/** A date with a timestamp: the date is its midnight. */
function compareTimes(left: Data, right: Data, valid: Validity, accepted: number, bits: Uint8Array): void {
  const [a, b] = [instantsOf(left), instantsOf(right)];
  for (let i = 0; i < left.length; i++) {
    const order = Math.sign(a.days(i) - b.days(i)) || Math.sign(a.nanos(i) - b.nanos(i));
    if (isValid(valid, i) && isTrue(accepted, order)) bits[i >> 3] |= 1 << (i & 7);
  }
}

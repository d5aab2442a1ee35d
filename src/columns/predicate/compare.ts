import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { POWERS } from "../../value/decimal.js";
import { Bool, type Data, DataType, Vector } from "../arrow/arrow.js";
import { alignedBits } from "../arrow/bits.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { instantsOf } from "../arrow/instants.js";
import { choose } from "../compute/choose.js";
import {
  allNull,
  both,
  isValid,
  mapPairs,
  mapTruths,
  presentOf,
  truthData,
  type Validity,
  validOf,
} from "../compute/chunks.js";
import type { Constant } from "../compute/constant.js";
import { combine } from "../compute/logic.js";
import { doublesOf, isNumber, type Operand } from "../compute/operands.js";
import { type Place, unlike } from "../compute/place.js";
import { isText } from "../compute/texts.js";
import { big, exactType, isDays, small, timestampType, type Units, unitsOf } from "../compute/units.js";
import { compareText } from "../table/sort.js";
import { accepts, type Comparison, compareDoubles, ORDERS, type Orders, predicateOf, type Value } from "./predicate.js";

/**
 * Truth values of a comparison with a column or a constant, by the meanings of {@link Predicate}.
 *
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 */
export function compare(left: Vector, how: Comparison, right: Operand, place: Place): Vector {
  if (right === null) return nullTruths(left);
  if (right instanceof Vector) return columns(left, ORDERS[how], right, place);
  const { isNull, marks } = predicateOf(left.type as DataType, how, [right], place);
  return isNull ? nullTruths(left) : mapTruths(left, marks);
}

/**
 * Which values are among some constants, as `eq` compares them; where null or NaN is among the constants, null instead
 * of false, as in SQL.
 *
 * @throws {InputError} WrongType, BadArgument
 */
export function isIn(vector: Vector, values: Iterable<Constant>, place: Place): Vector {
  if (typeof values === "string" || typeof values?.[Symbol.iterator] !== "function") {
    throw new InputError(`${place.method} of column ${JSON.stringify(place.column)} expects a list of values.`, {
      code: "BadArgument",
      column: place.column,
      hint: 'Pass a list: isIn(["AAPL", "MSFT"]).',
    });
  }
  const all = [...values];
  const some = all.filter((value): value is Value => value !== null && !Number.isNaN(value as number));
  const found = mapTruths(vector, predicateOf(vector.type as DataType, "eq", some, place).marks);
  return some.length === all.length ? found : combine(found, "or", nullTruths(vector), place);
}

/**
 * The name of the interval in which each value is: above one edge, up to and with the next; null outside of all edges.
 *
 * @param labels one for each interval; by default such as `(0, 100]`
 * @throws {InputError} WrongType, BadArgument
 */
export function cut(
  vector: Vector,
  edges: readonly Constant[],
  labels: readonly string[] | undefined,
  place: Place,
): Vector {
  const isList = Array.isArray(edges) && edges.length > 1 && !edges.includes(null);
  const isAscending =
    isList && edges.every((edge, i) => typeof edge !== "number" || i === 0 || !(edges[i - 1] >= edge));
  if (!isAscending || (labels !== undefined && labels?.length !== edges.length - 1)) {
    throw new InputError(
      isAscending
        ? `${place.method} of column ${JSON.stringify(place.column)} has ${edges.length - 1} intervals; got ${shown(labels)} as labels.`
        : `${place.method} of column ${JSON.stringify(place.column)} expects ascending edges; got ${shown(edges)}.`,
      {
        code: "BadArgument",
        column: place.column,
        hint: 'Pass at least two edges, and a label for each interval between them: cut([0, 10, Infinity], ["low", "high"]).',
      },
    );
  }
  const names = labels ?? edges.slice(1).map((edge, i) => `(${shownEdge(edges[i])}, ${shownEdge(edge)}]`);
  const upTo = edges.map((edge) => compare(vector, "le", edge, place));
  return choose(upTo, [null, ...names, null], place);
}

const shownEdge = (edge: Constant): string => (edge instanceof Date ? edge.toISOString() : String(edge));

/** A column of truth values that are all null. */
const nullTruths = (like: Vector): Vector =>
  allNull(like, (length, valid) => truthData(length, new Uint8Array((length + 7) >> 3), valid), new Bool());

const HALF = 2 ** 52;

function columns(left: Vector, orders: Orders, right: Vector, place: Place): Vector {
  const [a, b] = [left.type as DataType, right.type as DataType];
  const write = writerFor(a, b, orders);
  if (write === undefined) throw unlike(place, a, b);
  return mapPairs(left, right, new Bool(), place, (pair) => {
    const { length } = pair.left;
    const bits = new Uint8Array((length + 7) >> 3);
    const valid = both(validOf(pair.left), validOf(pair.right));
    const hasNaN = write(pair.left, pair.right, valid, bits);
    return truthData(length, bits, hasNaN ? both(presentOf(pair.left), presentOf(pair.right)) : valid);
  });
}

/** Sets the bits of the pairs that compare so; returns whether some pair has no order, as with NaN. */
type Write = (left: Data, right: Data, valid: Validity, bits: Uint8Array) => boolean;

/** How values of two types compare; undefined where they do not. */
function writerFor(a: DataType, b: DataType, orders: Orders): Write | undefined {
  if (isText(a) && isText(b)) return (left, right, valid, bits) => compareTexts(left, right, valid, orders, bits);
  if (DataType.isBool(a) && DataType.isBool(b)) {
    return (left, right, _, bits) => compareBits(left, right, orders, bits);
  }
  const [first, second] = [unitOf(a), unitOf(b)];
  if (first !== undefined && first.of === second?.of) {
    const powers = [Math.max(0, second.scale - first.scale), Math.max(0, first.scale - second.scale)] as const;
    return (left, right, valid, bits) => {
      return compareUnits({ a: unitsOf(left), b: unitsOf(right), powers, length: left.length }, orders, valid, bits);
    };
  }
  if (isNumber(a) && isNumber(b)) {
    return (left, right, _, bits) => compareDoubles(doublesOf(left), doublesOf(right), 1, orders, bits);
  }
  if (isTime(a) && isTime(b)) return (left, right, valid, bits) => compareTimes(left, right, valid, orders, bits);
  return undefined;
}

/** What whole units of a type count, and their digits after the point; undefined for other types. */
function unitOf(type: DataType): { readonly of: string; readonly scale: number } | undefined {
  if (isDays(type)) return { of: "days", scale: 0 };
  const seconds = timestampType(type);
  const found = seconds ?? exactType(type);
  return found && { of: seconds === undefined ? "ones" : "seconds", scale: found.scale };
}

const isTime = (type: DataType): boolean => DataType.isDate(type) || DataType.isTimestamp(type);

/** Units of two chunks, and the powers of ten that bring them to one scale. */
interface UnitPairs {
  readonly a: Units;
  readonly b: Units;
  readonly powers: readonly [number, number];
  readonly length: number;
}

function compareUnits({ a, b, powers, length }: UnitPairs, orders: Orders, valid: Validity, bits: Uint8Array): boolean {
  const [powerA, powerB] = powers;
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
    if (((orders >> (order + 1)) & 1) === 1) bits[i >> 3] |= 1 << (i & 7);
  }
  return false;
}

function compareBits(left: Data, right: Data, orders: Orders, bits: Uint8Array): boolean {
  const [a, b] = [left, right].map(({ values, offset, length }) => alignedBits(values as Uint8Array, offset, length));
  for (let i = 0; i < bits.length; i++) {
    const less = (orders & ORDERS.lt) === 0 ? 0 : ~a[i] & b[i];
    const equal = (orders & ORDERS.eq) === 0 ? 0 : ~(a[i] ^ b[i]);
    const more = (orders & ORDERS.gt) === 0 ? 0 : a[i] & ~b[i];
    bits[i] = less | equal | more;
  }
  return false;
}

function compareTexts(left: Data, right: Data, valid: Validity, orders: Orders, bits: Uint8Array): boolean {
  const [a, b] = [chunkReader(left), chunkReader(right)];
  for (let i = 0; i < left.length; i++) {
    if (!isValid(valid, i)) continue;
    if (accepts(orders, compareText(a.text(i), b.text(i)))) bits[i >> 3] |= 1 << (i & 7);
  }
  return false;
}

/** A date with a timestamp: the date is its midnight. */
function compareTimes(left: Data, right: Data, valid: Validity, orders: Orders, bits: Uint8Array): boolean {
  const [a, b] = [instantsOf(left), instantsOf(right)];
  for (let i = 0; i < left.length; i++) {
    const order = a.days(i) - b.days(i) || a.nanos(i) - b.nanos(i);
    if (isValid(valid, i) && accepts(orders, order)) bits[i >> 3] |= 1 << (i & 7);
  }
  return false;
}

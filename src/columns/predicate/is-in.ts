import { InputError } from "../../errors/errors.js";
import { Bool, DataType, type Vector } from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { instantsOf } from "../arrow/instants.js";
import { isValid, mapChunks, presentOf, truthData } from "../compute/chunks.js";
import { type Constant, numberConstant } from "../compute/constant.js";
import { combine } from "../compute/logic.js";
import { doublesOf, isNumber } from "../compute/operands.js";
import { type Place, wrongConstant, wrongType } from "../compute/place.js";
import { isText, truthsOfTexts } from "../compute/texts.js";
import { big, isDays, small, unitsOf } from "../compute/units.js";
import { nullTruths, thresholdOf } from "./compare.js";

/**
 * Which values are among some constants, as `eq` compares them. Null where there is none; where null is among the
 * constants, null instead of false, as in SQL. NaN counts as null in both.
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
  const some = all.filter((value) => value !== null && !Number.isNaN(value as number)) as Exclude<Constant, null>[];
  const found = among(vector, some, place);
  return some.length === all.length ? found : combine(found, "or", nullTruths(vector), place);
}

function among(vector: Vector, values: readonly Exclude<Constant, null>[], place: Place): Vector {
  const type = vector.type as DataType;
  if (isText(type)) {
    const texts = new Set(values);
    for (const value of values) if (typeof value !== "string") throw wrongConstant(place, type, value);
    return truthsOfTexts(vector, (text) => texts.has(text));
  }
  if (DataType.isBool(type)) {
    for (const value of values) if (typeof value !== "boolean") throw wrongConstant(place, type, value);
    return cells(vector, (data) => chunkReader(data).value, new Set<unknown>(values));
  }
  if (!isNumber(type) && !DataType.isDate(type) && !DataType.isTimestamp(type)) {
    throw wrongType(place, type, "numbers, text, dates, timestamps or truth values");
  }
  const thresholds = values.map((value) => thresholdOf(type, value, place));
  if (thresholds.every((threshold) => threshold === undefined) && DataType.isFloat(type)) {
    const numbers = values.map((value) => numberConstant(value, type, place));
    return cells(
      vector,
      (data) => {
        const doubles = doublesOf(data);
        return (i) => doubles[i];
      },
      new Set<unknown>(numbers),
    );
  }
  const units = thresholds.flatMap((threshold) => (threshold?.isExact === true ? [threshold.floor] : []));
  if (DataType.isDate(type) && !isDays(type)) {
    return cells(vector, (data) => instantsOf(data).days, new Set<unknown>(units.map(Number)));
  }
  const wanted = new Set<unknown>(units.flatMap((value) => [value, Number(value)]));
  // Values beyond 2^53 are made only where their lowest 32 bits are among the wanted.
  const lowest = new Set(units.map((value) => Number(BigInt.asIntN(32, value))));
  return cells(
    vector,
    (data) => {
      const own = unitsOf(data);
      return (i) => {
        if (!lowest.has(own.words[i * own.step])) return undefined;
        const value = small(own.words, i * own.step, own.count);
        return Number.isNaN(value) ? big(own, i) : value;
      };
    },
    wanted,
  );
}

function cells(
  vector: Vector,
  reader: (data: Vector["data"][number]) => (i: number) => unknown,
  wanted: ReadonlySet<unknown>,
): Vector {
  return mapChunks(vector, new Bool(), (data) => {
    const bits = new Uint8Array((data.length + 7) >> 3);
    const valid = presentOf(data);
    const read = reader(data);
    for (let i = 0; i < data.length; i++) {
      if (isValid(valid, i) && wanted.has(read(i))) bits[i >> 3] |= 1 << (i & 7);
    }
    return truthData(data.length, bits, valid);
  });
}

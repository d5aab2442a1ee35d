import { DataType, Vector } from "../arrow/arrow.js";
import { choose } from "../compute/choose.js";
import { mapChunks, unitsData, validOf } from "../compute/chunks.js";
import { type Constant, exactConstant, numberConstant } from "../compute/constant.js";
import { inBlocksUntil } from "../compute/in-blocks.js";
import { isNumber, type Operand } from "../compute/operands.js";
import { type Place, wrongType } from "../compute/place.js";
import { mapDoubleBlocks, mapUnits } from "../compute/round.js";
import { big, constantUnits, exactType, storeBig, type UnitsType, unitsOf } from "../compute/units.js";
import { compare } from "./compare.js";

/**
 * Each value, or the bound beyond which it is; a bound that is null is none.
 *
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 */
export function clip(vector: Vector, low: Operand, high: Operand, place: Place): Vector {
  if (!isNumber(vector.type)) throw wrongType(place, vector.type, "a column of numbers");
  const quick = low instanceof Vector || high instanceof Vector ? undefined : clipWithin(vector, low, high, place);
  if (quick !== undefined) return quick;
  const beyond = [compare(vector, "lt", low, place), compare(vector, "gt", high, place)];
  return choose(beyond, [low, high, vector], place);
}

/** Values within constant bounds that the type of the column holds, in one pass; undefined for other bounds. */
function clipWithin(vector: Vector, low: Constant, high: Constant, place: Place): Vector | undefined {
  const exact = exactType(vector.type);
  if (exact === undefined) {
    const [least, most] = [low ?? Number.NEGATIVE_INFINITY, high ?? Number.POSITIVE_INFINITY].map((bound) =>
      numberConstant(bound, vector.type, place),
    );
    return mapDoubleBlocks(vector, ({ run, left, count, out }) => run.clipDoubles(left, count, least, most, out));
  }
  const [least, most] = [low, high].map((bound) => boundUnits(bound, exact, vector.type, place));
  if (least === undefined || most === undefined) return undefined;
  if (DataType.isDecimal(vector.type) && vector.type.bitWidth === 128) return clip128(vector, exact, least, most);
  const [first, last] = [Number(least ?? -TWO_53), Number(most ?? TWO_53)];
  return mapUnits(vector, exact, {
    down: 0,
    up: 0,
    // Units up to 2^52 in size; bounds beyond them are beyond these.
    divide: (units) => (units < first ? first : Math.min(units, last)),
    divideBig: (units) => clippedUnits(units, least, most),
    place,
  });
}

const TWO_53 = 2n ** 53n;
const INT64_MAX = 2n ** 63n - 1n;

const clippedUnits = (units: bigint, least: bigint | null, most: bigint | null): bigint =>
  least !== null && units < least ? least : most !== null && units > most ? most : units;

function clip128(vector: Vector, type: UnitsType, least: bigint | null, most: bigint | null): Vector {
  const [low, high] = [least ?? -INT64_MAX - 1n, most ?? INT64_MAX];
  return mapChunks(vector, vector.type, (data) => {
    const units = unitsOf(data);
    const rows = { length: data.length, valid: validOf(data) };
    const { words, beyond } = inBlocksUntil(units, constantUnits(0n), rows, ({ run, left, count, out }) =>
      run.clip(left, count, low, high, out),
    );
    for (const i of beyond) storeBig(words, i * 4, 4, clippedUnits(big(units, i), least, most));
    return unitsData(type, data.length, words, rows.valid);
  });
}

/** A bound in the units of a type, null without one; undefined where the type, or a double, does not hold it. */
function boundUnits(bound: Constant, { scale, precision }: UnitsType, type: DataType, place: Place) {
  if (bound === null) return null;
  const exact = exactConstant(bound, type, place);
  if (exact === undefined || exact.scale > scale) return undefined;
  const units = exact.units * 10n ** BigInt(scale - exact.scale);
  const size = units < 0n ? -units : units;
  return size > TWO_53 || String(size).length > precision ? undefined : units;
}

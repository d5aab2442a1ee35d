import { Bool, type Data, DataType, Vector } from "../arrow/arrow.js";
import { alignedBits } from "../arrow/bits.js";
import { mapChunks, mapPairs, truthData, type Validity, validOf } from "./chunks.js";
import type { Constant } from "./constant.js";
import { type Place, unlike, wrongConstant, wrongType } from "./place.js";

/** The bits of true rows and of false rows; rows with neither are null. */
interface Truth {
  readonly yes: Uint8Array;
  readonly no: Uint8Array;
}

/**
 * `and` or `or` of two columns of truth values, or of one and a constant, in three values as in SQL: null where the
 * other value does not decide.
 *
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 */
export function combine(left: Vector, how: "and" | "or", right: Vector | Constant, place: Place): Vector {
  needTruths(left, place);
  if (right instanceof Vector) {
    if (!DataType.isBool(right.type)) throw unlike(place, left.type, right.type);
    return mapPairs(left, right, new Bool(), place, (pair) =>
      combined(truthOf(pair.left), truthOf(pair.right), how, pair.left.length),
    );
  }
  if (right !== null && typeof right !== "boolean") throw wrongConstant(place, left.type, right);
  return mapChunks(left, new Bool(), (data) => {
    const bytes = (data.length + 7) >> 3;
    const yes = new Uint8Array(bytes).fill(right === true ? 255 : 0);
    const no = new Uint8Array(bytes).fill(right === false ? 255 : 0);
    return combined(truthOf(data), { yes, no }, how, data.length);
  });
}

/**
 * The opposite of each truth value; null stays null.
 *
 * @throws {InputError} WrongType
 */
export function not(vector: Vector, place: Place): Vector {
  needTruths(vector, place);
  return mapChunks(vector, new Bool(), (data) => {
    const { yes, no } = truthOf(data);
    return fromTruth({ yes: no, no: yes }, data.length);
  });
}

function needTruths(vector: Vector, place: Place): void {
  if (!DataType.isBool(vector.type)) throw wrongType(place, vector.type, "a column of truth values");
}

function truthOf(data: Data): Truth {
  const valid: Validity = validOf(data);
  const bits = alignedBits(data.values as Uint8Array, data.offset, data.length);
  const last = (1 << (data.length & 7)) - 1;
  const yes = bits.map((byte, i) => byte & (valid?.[i] ?? 255));
  const no = bits.map((byte, i) => ~byte & (valid?.[i] ?? 255));
  if ((data.length & 7) !== 0) {
    yes[yes.length - 1] &= last;
    no[no.length - 1] &= last;
  }
  return { yes, no };
}

function combined(a: Truth, b: Truth, how: "and" | "or", length: number): Data {
  const [all, any] = how === "and" ? (["yes", "no"] as const) : (["no", "yes"] as const);
  const decided = {
    [all]: a[all].map((byte, i) => byte & b[all][i]),
    [any]: a[any].map((byte, i) => byte | b[any][i]),
  };
  return fromTruth(decided as unknown as Truth, length);
}

function fromTruth({ yes, no }: Truth, length: number): Data {
  return truthData(
    length,
    yes.slice(),
    yes.map((byte, i) => byte | no[i]),
  );
}

import { InputError } from "../../errors/errors.js";
import { plainNumber } from "../../value/json-number.js";

/** An exact quotient of whole numbers; the divisor is above 0. */
export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

export const ONE: Fraction = { over: 1n, under: 1n };

export const times = (a: Fraction, b: Fraction): Fraction => ({ over: a.over * b.over, under: a.under * b.under });
export const minus = (a: Fraction, b: Fraction): Fraction => ({
  over: a.over * b.under - b.over * a.under,
  under: a.under * b.under,
});
/** The inverse of a fraction above 0. */
export const inverse = ({ over, under }: Fraction): Fraction => ({ over: under, under: over });

/** A decimal, or a double in the shortest digits that are read as it. */
export function fractionOf(text: string): Fraction {
  const [, sign, digits, decimals = ""] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(plainNumber(text) ?? "") ?? [];
  if (digits === undefined) throw new InputError(`${text} is not a number.`, { code: "BadArgument", value: text });
  const size = BigInt(digits + decimals);
  return { over: sign === "-" ? -size : size, under: 10n ** BigInt(decimals.length) };
}

/** A number as the sum of two doubles: the nearest one, and the nearest to the rest. */
export interface TwoDoubles {
  readonly high: number;
  readonly low: number;
}

/** Bits of the quotient that are kept, more than those of two doubles. */
const BITS = 128;

export function twoDoubles({ over, under }: Fraction): TwoDoubles {
  if (over === 0n) return { high: 0, low: 0 };
  const shift = BITS + under.toString(2).length - over.toString(2).replace("-", "").length;
  const bits = shift > 0 ? (over << BigInt(shift)) / under : over / (under << BigInt(-shift));
  const high = Number(bits);
  const low = Number(bits - BigInt(high));
  return { high: high * 2 ** -shift, low: low * 2 ** -shift };
}

/** Splits a double into halves whose products are exact (Dekker). */
const SPLITTER = 2 ** 27 + 1;

/** value · factor, rounded once. */
export function product(value: number, { high, low }: TwoDoubles): number {
  const main = value * high;
  const wideA = value * SPLITTER;
  const wideB = high * SPLITTER;
  const highA = wideA - (wideA - value);
  const highB = wideB - (wideB - high);
  const lowA = value - highA;
  const lowB = high - highB;
  const error = lowA * lowB - (main - highA * highB - lowA * highB - highA * lowB);
  const rest = error + value * low;
  return Number.isFinite(rest) ? main + rest : main;
}

import { InvalidArgumentError } from "commander";

/** Conditions by column as `table(…).where()` takes them. */
export type Where = Record<string, string | string[] | Record<string, string>>;

const SIGNS: readonly (readonly [string, string])[] = [
  [">=", "gte"],
  ["<=", "lte"],
  [">", "gt"],
  ["<", "lt"],
  ["=", "eq"],
];

/**
 * One more condition: `ticker=AAPL,MSFT` (any of them), `date>=2020-01-01`, `<=`, `>`, `<`, or the service's own
 * `date.gte=2020-01-01` (spec 4.7).
 */
export function where(text: string, before: Where = {}): Where {
  const found = /^(.+?)(>=|<=|>|<|=)([\s\S]*)$/.exec(text);
  if (!found) throw new InvalidArgumentError('a condition looks like "ticker=AAPL,MSFT" or "date>=2020-01-01"');
  const [, left, sign, value] = found;
  const dotted = sign === "=" ? /^(.+)\.(gte|lte|gt|lt|eq)$/.exec(left.trim()) : null;
  const column = dotted ? dotted[1] : left.trim();
  const operator = dotted ? dotted[2] : (SIGNS.find(([spelt]) => spelt === sign) as readonly [string, string])[1];
  const known = before[column];
  if (operator === "eq") {
    if (known !== undefined)
      throw new InvalidArgumentError(`"${column}" has a condition already; list its values: a,b`);
    return { ...before, [column]: value.split(",") };
  }
  if (Array.isArray(known) || typeof known === "string") {
    throw new InvalidArgumentError(`"${column}" has a condition already`);
  }
  return { ...before, [column]: { ...known, [operator]: value } };
}

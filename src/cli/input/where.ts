import { InvalidArgumentError } from "commander";

/** Conditions by column, as `table(…).where()` accepts them. */
export type Where = Record<string, string | string[] | Record<string, string>>;

const SIGNS: readonly (readonly [string, string])[] = [
  [">=", "gte"],
  ["<=", "lte"],
  [">", "gt"],
  ["<", "lt"],
  ["=", "eq"],
];

/**
 * Parses one condition and adds it: `ticker=AAPL,MSFT` (any of them), `date>=2020-01-01`, `<=`, `>`, `<`, or the
 * service's own `date.gte=2020-01-01` (spec 4.7).
 */
export function where(text: string, before: Where = {}): Where {
  const found = /^(.+?)(>=|<=|>|<|=)([\s\S]*)$/.exec(text);
  if (!found) throw new InvalidArgumentError('expected a condition such as "ticker=AAPL,MSFT" or "date>=2020-01-01"');
  const [, left, sign, value] = found;
  refuseOtherSigns(left, sign, value);
  const dotted = sign === "=" ? /^(.+)\.(gte|lte|gt|lt|eq)$/.exec(left.trim()) : null;
  const column = dotted ? dotted[1] : left.trim();
  const operator = dotted ? dotted[2] : (SIGNS.find(([spelt]) => spelt === sign) as readonly [string, string])[1];
  const known = before[column];
  if (operator === "eq") {
    if (known !== undefined)
      throw new InvalidArgumentError(`"${column}" already has a condition; list its values: a,b`);
    return { ...before, [column]: value.split(",") };
  }
  if (Array.isArray(known) || typeof known === "string") {
    throw new InvalidArgumentError(`"${column}" already has a condition`);
  }
  return { ...before, [column]: { ...known, [operator]: value } };
}

/** `==`, `=>`, `=<`, `!=` and `<>` are signs of other languages; as `=` they would ask for other rows. */
function refuseOtherSigns(left: string, sign: string, value: string): void {
  const written = left.endsWith("!") ? `!${sign}` : `${sign}${/^[=<>]?/.exec(value)?.[0] ?? ""}`;
  const meant = { "==": "=", "=>": ">=", "=<": "<=" }[written];
  if (meant !== undefined && !/\.(gte|lte|gt|lt|eq)$/.test(left.trim())) {
    throw new InvalidArgumentError(
      `"${written}" is not an operator; write "${left}${meant}${value.slice(1)}" (or "${left}.eq=${value}" for a value that begins so)`,
    );
  }
  if (left.endsWith("!") || written === "<>") {
    throw new InvalidArgumentError(
      `"${written}" is not an operator: the service can only include rows; filter them afterwards`,
    );
  }
}

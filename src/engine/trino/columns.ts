import { InputError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";

/** Column types of the service by Trino's; other types are text in Trino's spelling. */
const TYPES: Readonly<Record<string, string>> = {
  boolean: "Boolean",
  tinyint: "Integer",
  smallint: "Integer",
  integer: "Integer",
  bigint: "Integer",
  real: "double",
  double: "double",
  date: "Date",
};

/**
 * Digits of the seconds of a timestamp column here. Finer timestamps stay text, and so do those without a zone, which
 * do not identify a point in time.
 */
const FINEST = 3;

/** @throws {InputError} UnsupportedType for arrays, maps and rows */
export function columnOf({ name, type }: { readonly name: string; readonly type: string }): ColumnSpec {
  const [, word, digits, zone] = /^(\w+)(?:\(([\d, ]+)\))?( with time zone)?$/.exec(type.toLowerCase()) ?? [];
  if (/^(array|map|row)\b/i.test(type)) {
    throw new InputError(`Column ${JSON.stringify(name)} of the result has type ${type}, which is not a cell.`, {
      code: "UnsupportedType",
      column: name,
      hint: `Convert it in the statement: json_format(CAST(${name} AS JSON)).`,
    });
  }
  if (word === "decimal" && digits !== undefined) return { name, type: `BigDecimal(${digits.replace(" ", "")})` };
  if (word === "timestamp" && zone !== undefined && Number(digits ?? FINEST) <= FINEST)
    return { name, type: "DateTime" };
  return { name, type: (word === undefined ? undefined : TYPES[word]) ?? "String" };
}

import { InputError } from "../../errors/errors.js";
import { nearest } from "../../errors/nearest.js";
import { type ColumnSpec, parseType, TYPE_TITLES } from "../../spec/columns.js";

/** What pandas, polars, Arrow and SQL call the column types, in lower case. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...named("double", "float16 float32 float64 f32 f64 number real"),
  ...named("Integer", "int8 int16 int32 int64 i8 i16 i32 i64 uint8 uint16 uint32 u8 u16 u32 int2 int4 int8 integer64"),
  ...named("String", "str utf8 largeutf8 large_utf8 object category categorical nvarchar clob"),
  ...named("Date", "date32 date64 day"),
  ...named("DateTime", "timestamp datetime64 timestamptz time"),
  ...named("Boolean", "bit logical boolean8"),
};

function named(type: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, type]));
}

const DIGITS = /^(?:decimal(?:32|64|128|256)|numeric|number|dec)\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)$/i;

/**
 * Refuses a column type that a caller declares and nothing reads. Types from a service's metadata do not come here:
 * unknown ones are read as text, with a warning.
 *
 * @throws {InputError} UnknownType with the column and the nearest type
 */
export function checkDeclaredTypes(columns: readonly ColumnSpec[], where: string): void {
  for (const { name, type } of columns) {
    if (parseType(type).kind !== "unknown") continue;
    throw new InputError(
      `Column ${JSON.stringify(name)} of ${where} is declared as ${JSON.stringify(type)}, an unknown type.`,
      { code: "UnknownType", column: name, hint: hintFor(type) },
    );
  }
}

function hintFor(type: string): string {
  const trimmed = type.trim();
  const digits = DIGITS.exec(trimmed);
  if (digits) return `Did you mean "BigDecimal(${digits[1]},${digits[2] ?? 0})"?`;
  if (/^(?:big)?decimal\s*\(/i.test(trimmed)) return "A decimal has at most 76 digits, and no more after the point.";
  const bare = trimmed.split(/[([<]/, 1)[0].trimEnd().toLowerCase();
  const close = ELSEWHERE[bare] ?? nearest(bare, TYPE_TITLES)[0] ?? ELSEWHERE[nearest(bare, Object.keys(ELSEWHERE))[0]];
  const list = `The types are ${TYPE_TITLES.join(", ")}; declare String to read the cells as text.`;
  return close === undefined ? list : `Did you mean ${JSON.stringify(close)}? ${list}`;
}

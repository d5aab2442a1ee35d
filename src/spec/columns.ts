/** A column as the service declares it (spec 2.6): a name and the service's own type name. */
export interface ColumnSpec {
  readonly name: string;
  readonly type: string;
}

/** The families of service types that have a column type of their own; `unknown` is kept as text. */
export type TypeKind = "text" | "date" | "datetime" | "decimal" | "integer" | "double" | "boolean" | "unknown";

/**
 * A service type read from its name. `precision` and `scale` (digits in all, digits after the point) stand for decimals
 * only.
 */
export interface ServiceType {
  readonly kind: TypeKind;
  readonly precision?: number;
  readonly scale?: number;
  /** The name as the service wrote it. */
  readonly text: string;
}

/** Digits of a `decimal` or `BigDecimal` without parameters: the widest Decimal128, half of it after the point. */
const BARE_DECIMAL = { precision: 38, scale: 18 } as const;

/** Widest decimal there is (Decimal256). */
const MAX_PRECISION = 76;

const KINDS: Readonly<Record<string, TypeKind>> = {
  string: "text",
  text: "text",
  mediumtext: "text",
  longtext: "text",
  tinytext: "text",
  varchar: "text",
  char: "text",
  date: "date",
  datetime: "datetime",
  timestamp: "datetime",
  integer: "integer",
  int: "integer",
  bigint: "integer",
  smallint: "integer",
  tinyint: "integer",
  long: "integer",
  double: "double",
  float: "double",
  boolean: "boolean",
  bool: "boolean",
};

const DECIMAL = /^(?:big)?decimal\s*(?:\(\s*(\d{1,3})\s*(?:,\s*(\d{1,3})\s*)?\))?$/i;

/**
 * Reads a service type name, letter case ignored (spec 2.6: `Date`, `String`, `BigDecimal(<precision>,<scale>)`; the
 * rest as observed). An unlisted name has kind `unknown`; so has a decimal wider than 76 digits or with more scale than
 * precision.
 */
export function parseType(text: string): ServiceType {
  const trimmed = text.trim();
  const decimal = DECIMAL.exec(trimmed);
  if (decimal) {
    const precision = decimal[1] === undefined ? BARE_DECIMAL.precision : Number(decimal[1]);
    const scale = decimal[1] === undefined ? BARE_DECIMAL.scale : Number(decimal[2] ?? 0);
    const possible = precision >= 1 && precision <= MAX_PRECISION && scale <= precision;
    return possible ? { kind: "decimal", precision, scale, text } : { kind: "unknown", text };
  }
  const bare = trimmed.replace(/\s*\(.*\)$/, "").toLowerCase();
  return { kind: Object.hasOwn(KINDS, bare) ? KINDS[bare] : "unknown", text };
}

/** A column as the service declares it (spec 2.6): a name and the service's own type name. */
export interface ColumnSpec {
  readonly name: string;
  readonly type: string;
}

/** What the interface says of a column type: its names, and how the service writes a cell of it (spec 1, 2.6). */
export interface SpecType {
  /** The service's usual name. */
  readonly title: string;
  /** Every name the service has been seen to use, in lower case. */
  readonly names: readonly string[];
  /**
   * `text`: quoted, any characters; `plain`: quoted, nothing to escape; `number`: with a decimal point where the
   * profile says so; `whole`: a number without one; `truth`: `true` or `false`.
   */
  readonly cell: "text" | "plain" | "number" | "whole" | "truth";
  /** The `type` attribute of a cell in XML; undefined: none. */
  readonly xml?: string;
}

const TYPES = {
  text: {
    title: "String",
    names: ["string", "text", "mediumtext", "longtext", "tinytext", "varchar", "char"],
    cell: "text",
  },
  date: { title: "Date", names: ["date"], cell: "plain", xml: "date" },
  datetime: { title: "DateTime", names: ["datetime", "timestamp"], cell: "plain", xml: "dateTime" },
  // Decimals have their digits in the name: see DECIMAL.
  decimal: { title: "BigDecimal(p,s)", names: [], cell: "number", xml: "float" },
  integer: {
    title: "Integer",
    names: ["integer", "int", "bigint", "smallint", "tinyint", "long"],
    cell: "whole",
    xml: "integer",
  },
  double: { title: "double", names: ["double", "float"], cell: "number", xml: "float" },
  boolean: { title: "Boolean", names: ["boolean", "bool"], cell: "truth", xml: "boolean" },
  unknown: { title: "String", names: [], cell: "text" },
} as const satisfies Readonly<Record<string, SpecType>>;

/** The column types; `unknown` is kept as text. */
export type TypeKind = keyof typeof TYPES;

/** Every column type. A type is added above; the compiler then names each table over {@link TypeKind} that lacks it. */
export const SPEC_TYPES: Readonly<Record<TypeKind, SpecType>> = TYPES;

const KINDS = Object.keys(TYPES) as readonly TypeKind[];

/** The types a column may be declared as, for messages. */
export const TYPE_TITLES: readonly string[] = KINDS.filter((kind) => kind !== "unknown").map(
  (kind) => SPEC_TYPES[kind].title,
);

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

const BY_NAME: ReadonlyMap<string, TypeKind> = new Map(
  KINDS.flatMap((kind) => SPEC_TYPES[kind].names.map((name) => [name, kind] as const)),
);

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
  return { kind: BY_NAME.get(bare) ?? "unknown", text };
}

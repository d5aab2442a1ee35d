/** A column as the service declares it (spec 2.6): its name and the service's type name. */
export interface ColumnSpec {
  /** Name of the column. */
  readonly name: string;
  /** The service's name of the type: `Date`, `BigDecimal(15,4)`, … */
  readonly type: string;
}

/** A column type in the service's terms: its names, and how a cell is written (spec 1, 2.6). */
export interface SpecType {
  /** The service's usual name. */
  readonly title: string;
  /** All names that services have been observed to use, in lower case. */
  readonly names: readonly string[];
  /**
   * `text`: quoted, any characters; `plain`: quoted, without characters to escape; `number`: with a decimal point if
   * the profile says so; `whole`: a number without one; `truth`: `true` or `false`.
   */
  readonly cell: "text" | "plain" | "number" | "whole" | "truth";
  /** The `type` attribute of a cell in XML; undefined if there is none. */
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
  // Decimals carry their digits in the name: see DECIMAL.
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

/** The column types; `unknown` is read as text. */
export type TypeKind = keyof typeof TYPES;

/**
 * Every column type. To add a type, add it above; the compiler then reports each table over {@link TypeKind} that lacks
 * it.
 */
export const SPEC_TYPES: Readonly<Record<TypeKind, SpecType>> = TYPES;

const KINDS = Object.keys(TYPES) as readonly TypeKind[];

/** The types that columns may be declared as, for messages. */
export const TYPE_TITLES: readonly string[] = KINDS.filter((kind) => kind !== "unknown").map(
  (kind) => SPEC_TYPES[kind].title,
);

/**
 * A parsed service type name. `precision` and `scale` (total digits, digits after the point) are set for decimals,
 * `scale` for timestamps whose name has the digits of a second: `DateTime(9)`.
 */
export interface ServiceType {
  readonly kind: TypeKind;
  readonly precision?: number;
  readonly scale?: number;
  /** The name as the service writes it. */
  readonly text: string;
}

/** The digits of a second that a timestamp of a type keeps: 3, 6 or 9. */
export const unitDigits = (scale = 0): 3 | 6 | 9 => (scale > 6 ? 9 : scale > 3 ? 6 : 3);

/** The digits of a `decimal` or `BigDecimal` without parameters: the widest Decimal128, half of it after the point. */
const BARE_DECIMAL = { precision: 38, scale: 18 } as const;

/** The digits of the widest decimal (Decimal256). */
const MAX_PRECISION = 76;

const BY_NAME: ReadonlyMap<string, TypeKind> = new Map(
  KINDS.flatMap((kind) => SPEC_TYPES[kind].names.map((name) => [name, kind] as const)),
);

const DECIMAL = /^(?:big)?decimal\s*(?:\(\s*(\d{1,3})\s*(?:,\s*(\d{1,3})\s*)?\))?$/i;

/**
 * Parses a service type name, ignoring case (spec 2.6: `Date`, `String`, `BigDecimal(<precision>,<scale>)`; the rest as
 * observed). Unlisted names, decimals of more than 76 digits and decimals whose scale exceeds the precision have kind
 * `unknown`.
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
  const digits = /^(?:datetime|timestamp)\s*\(\s*(\d)\s*\)$/i.exec(trimmed)?.[1];
  if (digits !== undefined) return { kind: "datetime", scale: Number(digits), text };
  const bare = (trimmed.endsWith(")") ? trimmed.split("(", 1)[0].trimEnd() : trimmed).toLowerCase();
  return { kind: BY_NAME.get(bare) ?? "unknown", text };
}

/** The columns of a time series by their titles (spec 2.1): its dates, then numbers. */
export const seriesColumns = (titles: readonly string[]): ColumnSpec[] =>
  titles.map((name, i) => ({ name, type: i === 0 ? "Date" : "double" }));

/** The names of columns, which messages of the compiler list behind this name. */
type ColumnName<Names extends string> = Names & string;

/** The columns of a row type. `Columns<Row>["name"]` is not an alias, which would hide the names in messages. */
export interface Columns<Row> {
  readonly name: ColumnName<keyof Row & string>;
}

/** One name, or a list of them. */
export type OneOrMore<Name extends string> = Name | readonly Name[];

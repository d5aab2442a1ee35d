/** How a column of a table that others load is served. */
export interface ServedType {
  /** The service's type (spec 2.6). */
  readonly type: string;
  /** SQL that reads the column as that type, null as null. */
  read(column: string): string;
  /** How filters compare it; undefined if they cannot. */
  readonly compared?: { sql(column: string): string; readonly type: string };
  /** Undefined if the column cannot be part of a key. */
  readonly seek?: SeekType;
}

/** How a value of a column becomes text, and a value again; exact. */
export interface SeekType {
  text(column: string): string;
  /** SQL that makes a value of a text, which `?` stands for. */
  readonly value: string;
  /** Whether values are ordered in time or by number. */
  readonly isOrdered: boolean;
  /** Whether the text is seconds since 1970. */
  readonly isTime?: boolean;
}

const bare = (column: string): string => column;
const printed = (column: string): string => `toString(${column})`;

/** `toString` and a cast are exact for these. */
const seekAs = (type: string, isOrdered: boolean): SeekType => ({
  text: printed,
  value: `CAST(? AS ${type})`,
  isOrdered,
});

/** Strings may have any bytes. */
const seekBytes = (type: string): SeekType => ({
  text: (column) => `hex(${column})`,
  value: `CAST(unhex(?) AS ${type})`,
  isOrdered: false,
});

/** As seconds since 1970: local times repeat when clocks are set back. */
const seekTime = (type: string, seconds: string): SeekType => ({
  text: (column) => `toString(CAST(${column} AS ${seconds}))`,
  value: `CAST(CAST(? AS ${seconds}) AS ${type})`,
  isOrdered: true,
  isTime: true,
});

/** Filters compare decimals of up to this many digits. */
const WIDEST_FILTER = 38;

const asText = (seek: SeekType): ServedType => ({
  type: "String",
  read: printed,
  compared: { sql: printed, type: "String" },
  seek,
});

function decimal(precision: number, scale: number): ServedType {
  const type = `BigDecimal(${precision},${scale})`;
  return {
    type,
    read: bare,
    ...(precision <= WIDEST_FILTER && { compared: { sql: bare, type } }),
    seek: seekAs(`Decimal(${precision},${scale})`, true),
  };
}

const integer = (type: string): ServedType => ({
  type: "Integer",
  read: (column) => `toInt64(${column})`,
  compared: { sql: bare, type: "Integer" },
  seek: seekAs(type, true),
});

/** Integers of more than 63 bits have more digits than the service's. */
const wideInteger = (type: string, digits: number): ServedType => ({
  type: `BigDecimal(${digits},0)`,
  read: (column) => `CAST(${column} AS Nullable(Decimal(${digits},0)))`,
  seek: seekAs(type, true),
});

function timestamp(type: string, digits: number, seconds: string): ServedType {
  const unit = digits > 6 ? 9 : digits > 3 ? 6 : 3;
  const name = unit === 3 ? "DateTime" : `DateTime(${unit})`;
  return {
    type: name,
    read: (column) => `toDateTime64(${column}, ${unit}, 'UTC')`,
    // Filters are in milliseconds.
    ...(unit === 3 && { compared: { sql: bare, type: name } }),
    seek: seekTime(type, seconds),
  };
}

const DATE: ServedType = {
  type: "Date",
  read: (column) => `toDate32(${column})`,
  compared: { sql: bare, type: "Date" },
};

const DOUBLE: ServedType = {
  type: "double",
  read: (column) => `toFloat64(${column})`,
  compared: { sql: (column) => `toFloat64(${column})`, type: "double" },
};

/** The type without `Nullable` and `LowCardinality`, which say nothing about the values. */
export function unwrapped(type: string): string {
  const inner = /^(?:Nullable|LowCardinality)\(([\s\S]*)\)$/.exec(type);
  return inner === null ? type : unwrapped(inner[1]);
}

/** How a column of a type is served, `Nullable` or not; undefined if the specification has no type for it. */
export function servedType(type: string): ServedType | undefined {
  const plain = unwrapped(type);
  const [, word, rest = ""] = /^(\w+)(?:\(([\s\S]*)\))?$/.exec(plain) ?? [];
  switch (word) {
    case "String":
      return { type: "String", read: bare, compared: { sql: bare, type: "String" }, seek: seekBytes(plain) };
    case "FixedString":
      return asText(seekBytes(plain));
    case "Enum8":
    case "Enum16":
    case "UUID":
    case "IPv4":
    case "IPv6":
      return asText(seekAs(plain, false));
    case "Date":
    case "Date32":
      return { ...DATE, seek: seekAs(plain, true) };
    case "DateTime":
      return timestamp(plain, 0, "UInt32");
    case "DateTime64": {
      const digits = Number.parseInt(rest, 10);
      return timestamp(plain, digits, `Decimal(38,${digits})`);
    }
    case "Decimal": {
      const [precision, scale] = rest.split(",").map(Number);
      return decimal(precision, scale);
    }
    case "Int8":
    case "Int16":
    case "Int32":
    case "Int64":
    case "UInt8":
    case "UInt16":
    case "UInt32":
      return integer(plain);
    case "UInt64":
      return { ...wideInteger(plain, 20), compared: { sql: bare, type: "Integer" } };
    case "Int128":
    case "UInt128":
      return wideInteger(plain, 39);
    case "Float32":
    case "Float64":
    case "BFloat16":
      return DOUBLE;
    case "Bool":
      return { type: "Boolean", read: bare, compared: { sql: bare, type: "Boolean" }, seek: seekAs(plain, false) };
    default:
      return undefined;
  }
}

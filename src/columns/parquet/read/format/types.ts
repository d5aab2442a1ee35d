/** How Parquet stores the values of a column. */
export type PhysicalType =
  | "BOOLEAN"
  | "INT32"
  | "INT64"
  | "INT96"
  | "FLOAT"
  | "DOUBLE"
  | "BYTE_ARRAY"
  | "FIXED_LEN_BYTE_ARRAY";

/** By their numbers in the format. */
export const PHYSICAL_TYPES: readonly PhysicalType[] = [
  ...(["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"] as const),
];

export type Codec = "UNCOMPRESSED" | "SNAPPY" | "GZIP" | "LZO" | "BROTLI" | "LZ4" | "ZSTD" | "LZ4_RAW";

export const CODECS: readonly Codec[] = [
  ...(["UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"] as const),
];

/** Encodings by number; 1 was never in use. */
export const ENCODINGS = [
  ...([
    "PLAIN",
    "",
    "PLAIN_DICTIONARY",
    "RLE",
    "BIT_PACKED",
    "DELTA_BINARY_PACKED",
    "DELTA_LENGTH_BYTE_ARRAY",
  ] as const),
  ...(["DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"] as const),
];
export type Encoding = (typeof ENCODINGS)[number];

export type TimeUnit = "MILLIS" | "MICROS" | "NANOS";

/** What the values of a leaf mean. */
export type Meaning =
  | { readonly kind: "boolean" | "float" | "double" | "float16" | "date" | "text" | "bytes" | "uuid" | "null" }
  | { readonly kind: "integer"; readonly bits: number; readonly signed: boolean }
  | { readonly kind: "decimal"; readonly precision: number; readonly scale: number }
  | { readonly kind: "time" | "timestamp"; readonly unit: TimeUnit; readonly utc: boolean };

/** A column of values in the file: a whole column of the table, or a part of a nested one. */
export interface Leaf {
  /** Its number among the leaves, which is its place in each row group. */
  readonly index: number;
  /** Its name and those of the groups that it is in, outermost first. */
  readonly path: readonly string[];
  readonly type: PhysicalType;
  /** Bytes of a value of FIXED_LEN_BYTE_ARRAY. */
  readonly width: number;
  readonly meaning: Meaning;
  /** Definition level of a value that is there, repetition level of one that continues the innermost list. */
  readonly maxDefinition: number;
  readonly maxRepetition: number;
  /** The value itself may be null, not only what it is in. */
  readonly isOptional: boolean;
  /** Why it cannot be read: a type that contradicts another, or that is newer than this reader. */
  readonly fault?: Error;
}

export type Repetition = "required" | "optional" | "repeated";

/** A node of the schema: a leaf, or a group of nodes. */
export interface SchemaNode {
  readonly name: string;
  readonly repetition: Repetition;
  /** Levels of this node where it is defined. */
  readonly definition: number;
  readonly repeats: number;
  readonly leaf?: Leaf;
  readonly children: readonly SchemaNode[];
  /** What a group means. */
  readonly group?: "list" | "map" | "struct";
  /** Why the group cannot be read, as of a {@link Leaf}. */
  readonly fault?: Error | undefined;
}

/** Least and greatest value of a chunk as stored; either may be missing. */
export interface Statistics {
  readonly min?: Uint8Array;
  readonly max?: Uint8Array;
  readonly nullCount?: number;
  /** They are in the older fields, which order all bytes as signed. */
  readonly old: boolean;
}

/** Where the pages of a leaf in a row group are. */
export interface PageRange {
  readonly codec: Codec;
  readonly values: number;
  /** Byte range in the file. */
  readonly start: number;
  readonly end: number;
}

/** The values of a leaf in a row group. */
export interface Chunk extends PageRange {
  /** Reads its statistics, which only conditions need. */
  readonly statistics: (() => Statistics) | undefined;
}

export interface RowGroup {
  readonly rows: number;
  /** One for each leaf; undefined for an encrypted one. */
  readonly chunks: readonly (Chunk | undefined)[];
}

/** What the end of a Parquet file says about it. */
export interface Footer {
  readonly rows: number;
  readonly columns: readonly SchemaNode[];
  readonly leaves: readonly Leaf[];
  readonly groups: readonly RowGroup[];
  readonly keyValues: ReadonlyMap<string, string>;
  /** Written by this package. */
  readonly isOwn: boolean;
}

import type { SchemaElement } from "hyparquet-writer";

/** Encodings that are written. */
export type Encoding = "PLAIN" | "RLE" | "RLE_DICTIONARY" | "DELTA_BINARY_PACKED";

/** Compressions that are written. */
export type Codec = "UNCOMPRESSED" | "SNAPPY" | "ZSTD";

/** Least and greatest value of a column of a row group, where there is one. */
export interface Bounds {
  min_value?: bigint | boolean | number | string | Uint8Array;
  max_value?: bigint | boolean | number | string | Uint8Array;
}

/** What the metadata of a file says of a column of a row group. */
export interface ColumnChunk {
  file_offset: bigint;
  meta_data: {
    type: NonNullable<SchemaElement["type"]>;
    encodings: Encoding[];
    path_in_schema: string[];
    codec: Codec;
    num_values: bigint;
    total_uncompressed_size: bigint;
    total_compressed_size: bigint;
    data_page_offset: bigint;
    dictionary_page_offset?: bigint;
    statistics: Bounds & { null_count: bigint };
    encoding_stats: { page_type: "DICTIONARY_PAGE" | "DATA_PAGE_V2"; encoding: Encoding; count: number }[];
  };
}

/** What the metadata of a file says of a row group. */
export interface RowGroup {
  columns: ColumnChunk[];
  total_byte_size: bigint;
  num_rows: bigint;
  total_compressed_size: bigint;
}

/** A compression of Parquet pages that every common reader supports. */
export type Compression = "zstd" | "snappy" | "none";

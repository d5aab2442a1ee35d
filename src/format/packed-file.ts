import { type AnyFile, anyAccess, type FileState, fileAccess, type RandomAccess } from "./random-access.js";
import { formatOf, SIGNATURE_BYTES } from "./signature.js";
import type { ZipOptions } from "./zip-entry.js";

/** A compressed file, or compressed bytes in memory. */
export interface PackedFile {
  readonly format: "gzip" | "zstd";
  /**
   * The compressed size, or the uncompressed one that the last member of gzip data declares if that is larger. Less
   * than the actual size if there are several members or more than 4 GB.
   */
  readonly size: number;
  /**
   * The contents in chunks; each is valid until the next one is requested. They are verified only once the iteration
   * has ended without an error.
   *
   * @throws {DataError} `BadGzip` or `BadZstd` for corrupt, incomplete or foreign bytes; `GzipBomb` or `ZstdBomb`
   *   beyond the limits
   */
  chunks(): AsyncGenerator<Uint8Array>;
}

/**
 * Opens a file or bytes that start with the signature of gzip or zstd; undefined otherwise, also for a path that cannot
 * be opened or is not a regular file: the reader of plain text reports that.
 */
export async function packedFile(source: AnyFile, options: ZipOptions = {}): Promise<PackedFile | undefined> {
  const isPath = typeof source === "string";
  const access: (RandomAccess & { readonly state?: FileState }) | undefined = isPath
    ? await fileAccess(source).catch(() => undefined)
    : await anyAccess(source);
  if (access === undefined) return undefined;
  const { size } = access;
  const start = new Uint8Array(Math.min(SIGNATURE_BYTES, size));
  const last = new Uint8Array(4);
  try {
    await access.read(start, 0);
    if (formatOf(start) === "gzip" && size >= SIGNATURE_BYTES) await access.read(last, size - last.length);
  } finally {
    await access.close();
  }
  const format = formatOf(start);
  if (format !== "gzip" && format !== "zstd") return undefined;
  return {
    format,
    size: format === "zstd" ? size : Math.max(size, new DataView(last.buffer).getUint32(0, true)),
    async *chunks() {
      const file = isPath ? await fileAccess(source, access.state) : await anyAccess(source);
      try {
        if (format === "gzip") yield* (await import("./gzip.js")).gzipChunks(file, options);
        else yield* (await import("./zstd.js")).zstdChunks(file, options);
      } finally {
        await file.close();
      }
    },
  };
}

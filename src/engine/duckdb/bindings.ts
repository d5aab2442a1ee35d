import { createRequire } from "node:module";

/** A vector, chunk or function of the engine, as its bindings pass them. */
export interface Native {
  readonly __duckdb?: never;
}

/**
 * The functions of the engine's bindings that copy buffers and scan tables. The package above the bindings has no
 * access to buffers: it creates objects for each chunk, vector and cell.
 */
export interface Bindings {
  data_chunk_set_size(chunk: Native, rows: number): void;
  data_chunk_reset(chunk: Native): void;
  data_chunk_get_vector(chunk: Native, column: number): Native;
  /** Copies bytes to a place of a vector's values. */
  copy_data_to_vector(vector: Native, to: number, source: ArrayBufferLike, from: number, count: number): void;
  /** As above, to its validity bits, which have to be writable. */
  copy_data_to_vector_validity(vector: Native, to: number, source: ArrayBufferLike, from: number, count: number): void;
  vector_ensure_validity_writable(vector: Native): void;
  vector_assign_string_element_len(vector: Native, row: number, bytes: Uint8Array): void;
  table_function_set_function(tableFunction: Native, main: (info: Native, output: Native) => void): void;
  function_get_init_data(info: Native): object | undefined;
  function_set_error(info: Native, message: string): void;
}

let known: Bindings | undefined;

/** The bindings that `@duckdb/node-api` itself uses; objects of another copy would not fit. */
export function bindings(): Bindings {
  if (known === undefined) {
    const api = createRequire(import.meta.url).resolve("@duckdb/node-api");
    known = createRequire(api)("@duckdb/node-bindings") as Bindings;
  }
  return known;
}

/** The package itself, which has been loaded. */
export const nodeApi = (): typeof import("@duckdb/node-api") =>
  createRequire(import.meta.url)("@duckdb/node-api") as typeof import("@duckdb/node-api");

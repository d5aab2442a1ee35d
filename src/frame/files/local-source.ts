import { fileURLToPath } from "node:url";
import { prepareThreadsFor, THREADS } from "../../columns/workers/thread.js";
import { InputError } from "../../errors/errors.js";
import { needBytes } from "../cells/given.js";

/**
 * A source of a read as a path or bytes: a `file:` URL becomes its path, an `ArrayBuffer` its bytes. Any other value is
 * left to the reader.
 *
 * @throws {InputError} BadArgument for an address on the network
 */
export function localSource<Source>(source: Source | URL | ArrayBuffer, where: string): Source | string | Uint8Array {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (source instanceof Promise) {
    throw new InputError(`${where} reads a file or bytes; got a promise.`, {
      code: "BadArgument",
      hint: "Await it first.",
    });
  }
  const isAddress = typeof source === "string" && /^https?:\/\//i.test(source);
  if (!(source instanceof URL) && !isAddress) return source;
  if (source instanceof URL && source.protocol === "file:") return fileURLToPath(source);
  const { protocol, host } = new URL(source);
  throw new InputError(`${where} reads local files and bytes; got an address at ${protocol}//${host}.`, {
    code: "BadArgument",
    hint: "Fetch it first and pass the bytes: new Uint8Array(await (await fetch(url)).arrayBuffer()).",
  });
}

/**
 * A source of a read as a path or bytes.
 *
 * @param what the kind of file, with its article, for the message: `an Arrow file`
 * @throws {InputError} BadArgument for anything else
 */
export function localFile(
  source: string | URL | Uint8Array | ArrayBuffer,
  where: string,
  what: string,
): string | Uint8Array {
  const local = localSource(source, where);
  if (typeof local !== "string") needBytes(local, where, `Pass the path or the bytes of ${what}.`);
  return local;
}

/** Archives of this size hold a file large enough for threads: tables deflate to about a quarter. */
const LONG = 4_194_304;

/**
 * Starts the threads that read a long archive: one inflates, one parses. They start while the code that reads its
 * directory is loaded.
 */
export function prepareForArchive(source: unknown): void {
  if (typeof source === "string") prepareThreadsFor(source, LONG, THREADS.most > 1 ? 2 : 0);
}

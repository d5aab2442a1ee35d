import { InputError } from "../../errors/errors.js";
import { type AnyFile, blobFile, isOpenable, type OpenableFile } from "../../format/random-access.js";
import { fileURLToPath } from "../../platform/node/files.js";
import type { StoredObject } from "../../transport/object-storage.js";
import { percentDecoded } from "../../value/text.js";
import { needBytes } from "../cells/given.js";

/**
 * A source of a read as a path, bytes or a remote file: a `file:` URL becomes its path, an `ArrayBuffer` its bytes, an
 * address of the network a file there, and so a `File` or `Blob` of a page.
 *
 * @param what the kind of file, with its article, for the message: `an Arrow file`
 * @throws {InputError} BadAddress for other addresses, BadArgument for anything else
 */
export function localFile(
  source: string | URL | Uint8Array | ArrayBuffer | Blob | OpenableFile,
  where: string,
  what: string,
): AnyFile {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (source instanceof Blob) return blobFile(source);
  if (source instanceof Promise) {
    throw new InputError(`${where} reads a file or bytes; got a promise.`, {
      code: "BadArgument",
      hint: "Await it first.",
    });
  }
  if (source instanceof URL && source.protocol === "file:") return fileURLToPath(source);
  const address = addressOf(source);
  if (address !== undefined) return remoteFile(address, where);
  if (typeof source === "string" || isOpenable(source)) return source;
  needBytes(source, where, `Pass the path, the address or the bytes of ${what}.`);
  return source;
}

function remoteFile(address: string, where: string): OpenableFile {
  if (/^s3:/i.test(address)) {
    const object = storedObject(address);
    return loadedFile(`s3://${object.bucket}/${object.key}`, async () =>
      (await import("../../transport/object-storage.js")).objectAt(object),
    );
  }
  if (/^https?:/i.test(address) && URL.canParse(address)) {
    const url = new URL(address);
    return loadedFile(url.origin + url.pathname, async () =>
      (await import("../../transport/remote-file.js")).fileAt(url),
    );
  }
  throw new InputError(`${where} does not read an address of this kind.`, {
    code: "BadAddress",
    hint: "Pass a path, https://host/file.parquet or s3://bucket/file.parquet.",
  });
}

/** A file whose code is loaded when it is first opened. */
function loadedFile(name: string, load: () => Promise<OpenableFile>): OpenableFile {
  let file: Promise<OpenableFile> | undefined;
  return {
    name,
    async open(from) {
      file ??= load();
      return (await file).open(from);
    },
  };
}

/**
 * The bucket and key of `s3://bucket/key`; the key is not percent-encoded, as in other tools.
 *
 * @throws {InputError} BadAddress
 */
export function storedObject(address: string): StoredObject {
  const [, bucket, key = ""] = /^s3:\/\/([a-z0-9][a-z0-9._-]*)(?:\/(.*))?$/is.exec(address) ?? [];
  if (bucket !== undefined) return { bucket, key };
  throw new InputError("The address of an object storage has no bucket.", {
    code: "BadAddress",
    hint: "Write it as s3://bucket/folder/file.parquet.",
  });
}

/** The address of a file that is not on this disk; undefined for paths and other values. */
export function addressOf(source: unknown): string | undefined {
  if (typeof source === "string") return /^(?:https?|s3):\/\//i.test(source) ? source : undefined;
  if (!(source instanceof URL)) return undefined;
  return source.protocol === "s3:" ? (percentDecoded(source.href) ?? source.href) : source.href;
}

/** Archives of this size hold a file large enough for threads: tables deflate to about a quarter. */
const LONG = 4_194_304;

/**
 * Starts the threads that read a long archive: one inflates, one parses. They start while the code that reads its
 * directory is loaded.
 */
export async function prepareForArchive(source: unknown): Promise<void> {
  if (typeof source !== "string") return;
  const { prepareThreadsFor, THREADS } = await import("../../columns/workers/thread.js");
  prepareThreadsFor(source, LONG, THREADS.most > 1 ? 2 : 0);
}

import { DataError } from "../../errors/errors.js";
import { joinedBytes, latin1Text } from "../../platform/node/bytes.js";

/** Encodings of text; `utf-16` takes the byte order from the byte order mark, little-endian without one. */
export const TEXT_ENCODINGS = ["utf-8", "utf-16", "utf-16le", "utf-16be", "latin1", "windows-1252"] as const;
export type TextEncoding = (typeof TEXT_ENCODINGS)[number];

/**
 * Converts chunks of text of any size to UTF-8, without a byte order mark.
 *
 * @throws {DataError} BadTextEncoding for bytes that are not text in UTF-16
 */
export async function* utf8Chunks(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  encoding: Exclude<TextEncoding, "utf-8">,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let decode: ((bytes: Uint8Array, last: boolean) => string) | undefined;
  let start: Uint8Array = new Uint8Array(0);
  for await (const chunk of chunks) {
    let bytes = chunk;
    if (decode === undefined) {
      bytes = start = joinedBytes([start, chunk]);
      if (start.length < 2) continue;
      decode = decoderOf(encoding, start);
    }
    const text = decode(bytes, false);
    if (text !== "") yield encoder.encode(text);
  }
  const text = decode === undefined ? decoderOf(encoding, start)(start, true) : decode(new Uint8Array(0), true);
  if (text !== "") yield encoder.encode(text);
}

function decoderOf(encoding: Exclude<TextEncoding, "utf-8">, b: Uint8Array): (b: Uint8Array, last: boolean) => string {
  if (encoding === "latin1") return (bytes) => latin1Text(bytes);
  const isBig = encoding === "utf-16be" || (encoding === "utf-16" && b[0] === 0xfe && b[1] === 0xff);
  const name = encoding === "windows-1252" ? encoding : isBig ? "utf-16be" : "utf-16le";
  const decoder = new TextDecoder(name, { fatal: true });
  return (bytes, last) => {
    try {
      return decoder.decode(bytes, { stream: !last });
    } catch (cause) {
      const hint = `Pass its encoding: ${TEXT_ENCODINGS.map((known) => JSON.stringify(known)).join(", ")}.`;
      throw new DataError(`The file is not text in ${encoding}.`, { code: "BadTextEncoding", hint, cause });
    }
  };
}

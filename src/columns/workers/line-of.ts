import { DataError, reworded } from "../../errors/errors.js";
import { CR, LF } from "../../format/csv.js";
import { type TextOptions, textChunks } from "./text-chunks.js";

/**
 * An error of reading the text of a file, with the line where it is. The text up to there is read again. In an encoding
 * other than UTF-8, the error loses its offset, which is not one in the file.
 */
export async function withLine(error: unknown, source: string | Uint8Array, options: TextOptions): Promise<unknown> {
  if (!(error instanceof DataError) || error.offset === undefined || error.row === undefined) return error;
  const line = await lineAt(source, options, error.offset).catch(() => undefined);
  if (line === undefined) return error;
  const isConverted = (options.encoding ?? "utf-8") !== "utf-8";
  const place = isConverted ? `line ${line}` : `line ${line}, byte ${error.offset}`;
  const message = error.message.replace(`(byte ${error.offset})`, `(${place})`);
  return reworded(error, message, { line, ...(isConverted && { offset: undefined }) });
}

/** The number of the line, from 1, that contains the byte at an offset of the text. */
async function lineAt(source: string | Uint8Array, options: TextOptions, offset: number): Promise<number> {
  let line = 1;
  let at = 0;
  let before = 0;
  for await (const chunk of textChunks(source, options)) {
    const end = Math.min(chunk.length, offset - at);
    for (let i = 0; i < end; i++) {
      const byte = chunk[i];
      if (byte === CR || (byte === LF && before !== CR)) line++;
      before = byte;
    }
    at += chunk.length;
    if (at >= offset) break;
  }
  return line;
}

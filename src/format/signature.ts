import type { CodeOf } from "../errors/codes.js";
import { DataError } from "../errors/errors.js";

/** Number of bytes at the start of a file that {@link formatOf} inspects. */
export const SIGNATURE_BYTES = 8;

/** A format that is recognized by its first bytes. */
interface KnownFormat {
  /** The name with its article, as messages show it. */
  readonly name: string;
  readonly hint: string;
  /** Byte values at the start; undefined matches any control character except tab and line ends. */
  readonly starts: readonly (readonly (number | undefined)[])[];
}

const ascii = (text: string): number[] => [...text].map((char) => char.charCodeAt(0));

const ENCODING =
  'Frame.fromCSV(source, { columns, encoding: "utf-16" }) reads CSV in UTF-16; convert other files to UTF-8 first.';

/** The longer of two signatures with the same prefix comes first. */
const FORMATS = {
  utf32: {
    name: "text in UTF-32",
    hint: ENCODING,
    starts: [
      [0xff, 0xfe, 0, 0],
      [0, 0, 0xfe, 0xff],
    ],
  },
  utf16: {
    name: "text in UTF-16",
    hint: ENCODING,
    starts: [
      [0xff, 0xfe],
      [0xfe, 0xff],
    ],
  },
  zip: {
    name: "a zip archive",
    hint: "Frame.fromZip(source, { columns }) reads the CSV file in a zip archive; save an .xlsx workbook as CSV first.",
    starts: [
      [...ascii("PK"), 3, 4],
      [...ascii("PK"), 5, 6],
    ],
  },
  gzip: {
    name: "gzip data",
    hint: "Frame.fromCSV(source, { columns }) reads gzipped CSV. Decompress other files first, for example with gunzip.",
    starts: [[0x1f, 0x8b, 8]],
  },
  zstd: {
    name: "zstd data",
    hint: "Frame.fromCSV(source, { columns }) reads zstd-compressed CSV. Decompress other files first, for example with unzstd.",
    starts: [[0x28, 0xb5, 0x2f, 0xfd]],
  },
  xz: { name: "xz data", hint: "Decompress it first, for example with unxz.", starts: [[0xfd, ...ascii("7zXZ"), 0]] },
  parquet: {
    name: "a Parquet file",
    hint: "Frame.fromParquet(path) reads it.",
    starts: [[...ascii("PAR1"), undefined]],
  },
  feather: {
    name: "a Feather file of version 1",
    hint: "Write it again as Feather 2, the Arrow file format.",
    starts: [[...ascii("FEA1"), undefined]],
  },
  arrow: {
    name: "an Arrow file",
    hint: "Frame.fromArrow(path), or its bytes instead of the path, reads it.",
    starts: [[...ascii("ARROW1"), 0, 0]],
  },
} as const satisfies Readonly<Record<string, KnownFormat>>;

export type FormatName = keyof typeof FORMATS;

/** The format that the first bytes identify; undefined for any other file, such as text in UTF-8. */
export function formatOf(b: Uint8Array): FormatName | undefined {
  return (Object.keys(FORMATS) as FormatName[]).find((name) =>
    FORMATS[name].starts.some((start) => start.every((value, i) => i < b.length && fits(b[i], value))),
  );
}

/** What to call a format in a message, with its article. */
export const formatName = (format: FormatName): string => FORMATS[format].name;

const fits = (byte: number, value: number | undefined): boolean =>
  value === undefined ? byte < 32 && byte !== 9 && byte !== 10 && byte !== 13 : byte === value;

/**
 * Rejects a file of another known format.
 *
 * @param expected the format that the caller reads, such as `CSV text in UTF-8`
 * @param code the code of the error
 * @throws {DataError} `code`, with the name of the format and the call that reads it
 */
export function refuseFormat(b: Uint8Array, expected: string, code: CodeOf<"DataError"> = "WrongFormat"): void {
  const format = formatOf(b);
  // A truncated or corrupt file of the expected format is reported by its own reader.
  if (format === undefined || expected === FORMATS[format].name) return;
  const { name, hint } = FORMATS[format];
  throw new DataError(`Expected ${expected}; got ${name}.`, { code, offset: 0, hint });
}

import type { CodeOf } from "../errors/codes.js";
import { DataError } from "../errors/errors.js";

/** Bytes at the start of a file that {@link formatOf} looks at. */
export const SIGNATURE_BYTES = 8;

/** A format that is known by its first bytes. */
interface KnownFormat {
  /** With its article, as a message names it. */
  readonly name: string;
  readonly hint: string;
  /** Byte values at the start; undefined: any control character but tab and line ends. */
  readonly starts: readonly (readonly (number | undefined)[])[];
}

const ascii = (text: string): number[] => [...text].map((char) => char.charCodeAt(0));

const ENCODING = "Convert the file to UTF-8 first.";

/** The longer of two signatures that begin alike comes first. */
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
    hint: "Frame.fromZip(source, { columns }) reads the CSV file in a zip archive; an .xlsx workbook is saved as CSV first.",
    starts: [
      [...ascii("PK"), 3, 4],
      [...ascii("PK"), 5, 6],
    ],
  },
  gzip: {
    name: "gzip data",
    hint: "Frame.fromCSV(source, { columns }) reads gzipped CSV. Decompress other files first, as with gunzip.",
    starts: [[0x1f, 0x8b, 8]],
  },
  zstd: { name: "zstd data", hint: "Decompress it first, as with unzstd.", starts: [[0x28, 0xb5, 0x2f, 0xfd]] },
  xz: { name: "xz data", hint: "Decompress it first, as with unxz.", starts: [[0xfd, ...ascii("7zXZ"), 0]] },
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
    hint: "Frame.fromArrow(path) or Frame.fromIPC(bytes) reads it.",
    starts: [[...ascii("ARROW1"), 0, 0]],
  },
} as const satisfies Readonly<Record<string, KnownFormat>>;

export type FormatName = keyof typeof FORMATS;

/** The format that the first bytes of a file name; undefined for any other file, such as text in UTF-8. */
export function formatOf(b: Uint8Array): FormatName | undefined {
  return (Object.keys(FORMATS) as FormatName[]).find((name) =>
    FORMATS[name].starts.some((start) => start.every((value, i) => i < b.length && fits(b[i], value))),
  );
}

const fits = (byte: number, value: number | undefined): boolean =>
  value === undefined ? byte < 32 && byte !== 9 && byte !== 10 && byte !== 13 : byte === value;

/**
 * Refuses a file of another format by name.
 *
 * @param expected what the caller reads, such as `CSV text in UTF-8`
 * @param code of the error
 * @throws {DataError} `code` naming the format and what reads it
 */
export function refuseFormat(b: Uint8Array, expected: string, code: CodeOf<"DataError"> = "WrongFormat"): void {
  const format = formatOf(b);
  // A cut or damaged file of the expected format is for its own reader to describe.
  if (format === undefined || expected === FORMATS[format].name) return;
  const { name, hint } = FORMATS[format];
  throw new DataError(`Expected ${expected}; got ${name}.`, { code, offset: 0, hint });
}

import { ParquetFault } from "./fault.js";
import { countOf, integerOf, structOf, ThriftReader, type ThriftStruct } from "./thrift.js";
import { ENCODINGS, type Encoding } from "./types.js";

/** The header of a page; `length` counts its own bytes. */
export interface PageHeader {
  readonly length: number;
  readonly kind: "data" | "data2" | "dictionary" | "other";
  /** Bytes of the page as stored, and uncompressed. */
  readonly stored: number;
  readonly size: number;
  readonly crc: number | undefined;
  readonly values: number;
  readonly encoding: Encoding;
  /** Version 1: how definition and repetition levels are encoded. */
  readonly levelEncodings: readonly [definition: Encoding, repetition: Encoding];
  /** Version 2: how many values are null, and how many rows begin in the page. */
  readonly nulls: number | undefined;
  readonly rows: number | undefined;
  /** Version 2: bytes of the levels, and whether the values after them are compressed. */
  readonly definitionBytes: number;
  readonly repetitionBytes: number;
  readonly compressed: boolean;
}

/** More values of one page than any writer makes; a count beyond is damage. */
const MOST_VALUES = 2 ** 27;

/**
 * Reads the header of a page.
 *
 * @param room bytes of the chunk from the header on
 * @throws {ParquetFault} where it is damaged, or its page longer than the chunk
 */
export function readPageHeader(bytes: Uint8Array, offset: number, room: number): PageHeader {
  const reader = new ThriftReader(bytes, offset);
  const header = reader.struct();
  const length = reader.offset - offset;
  const stored = countOf(header, 3, "the size of a page");
  const size = countOf(header, 2, "the uncompressed size of a page");
  if (length + stored > room) throw new ParquetFault("a page is longer than its column");
  const crc = integerOf(header, 4, undefined);
  const page = { length, stored, size, crc, ...bodyOf(header) };
  if (page.definitionBytes + page.repetitionBytes > Math.min(stored, size))
    throw new ParquetFault("the levels of a page are longer than it");
  return page;
}

type Body = Omit<PageHeader, "length" | "stored" | "size" | "crc">;

const NONE = {
  values: 0,
  encoding: "PLAIN",
  levelEncodings: ["RLE", "RLE"],
  nulls: undefined,
  rows: undefined,
  definitionBytes: 0,
  repetitionBytes: 0,
  compressed: true,
} as const;

function bodyOf(header: ThriftStruct): Body {
  const [v1, dictionary, v2] = [structOf(header, 5), structOf(header, 7), structOf(header, 8)];
  switch (integerOf(header, 1, -1)) {
    case 0:
      if (v1 === undefined) break;
      return { ...NONE, kind: "data", ...countedValues(v1), levelEncodings: [encodingOf(v1, 3), encodingOf(v1, 4)] };
    case 2:
      if (dictionary === undefined) break;
      return { ...NONE, kind: "dictionary", ...countedValues(dictionary) };
    case 3:
      if (v2 === undefined) break;
      return {
        ...NONE,
        kind: "data2",
        values: valuesOf(v2),
        encoding: encodingOf(v2, 4),
        nulls: countOf(v2, 2, "the number of nulls of a page"),
        rows: countOf(v2, 3, "the number of rows of a page"),
        definitionBytes: countOf(v2, 5, "the size of definition levels"),
        repetitionBytes: countOf(v2, 6, "the size of repetition levels"),
        compressed: v2.fields.get(7) !== false,
      };
    case 1:
      return { ...NONE, kind: "other" };
  }
  throw new ParquetFault("the header of a page is damaged");
}

const countedValues = (struct: ThriftStruct): Pick<Body, "values" | "encoding"> => ({
  values: valuesOf(struct),
  encoding: encodingOf(struct, 2),
});

function valuesOf(struct: ThriftStruct): number {
  const values = countOf(struct, 1, "the number of values of a page");
  if (values > MOST_VALUES) throw new ParquetFault("a page says that it has too many values");
  return values;
}

function encodingOf(struct: ThriftStruct, id: number): Encoding {
  const encoding = ENCODINGS[integerOf(struct, id, -1)];
  if (encoding === undefined || encoding === "") throw new ParquetFault("a page has an unknown encoding");
  return encoding;
}

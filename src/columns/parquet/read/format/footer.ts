import { isArrowbookError } from "../../../../errors/errors.js";
import type { RandomAccess } from "../../../../format/random-access.js";
import { refuseFormat } from "../../../../format/signature.js";
import { latin1Text, utf8Text } from "../../../../platform/node/bytes.js";
import { unsafeBytes } from "../../../build/buffer-pool.js";
import { ParquetFault, placed, UnsupportedParquet } from "./fault.js";
import { CHECKSUM_KEY, CREATED_BY, schemaChecksum, schemaTree } from "./schema.js";
import {
  bytesOf,
  countOf,
  integerOf,
  structOf,
  structsOf,
  ThriftReader,
  type ThriftStruct,
  type Wanted,
} from "./thrift.js";
import {
  type Chunk,
  CODECS,
  type Footer,
  type Leaf,
  PHYSICAL_TYPES,
  type PhysicalType,
  type RowGroup,
  type Statistics,
} from "./types.js";

/** What a Parquet file begins and ends with; with an encrypted footer, it is `PARE`. */
const MAGIC = "PAR1";
const ENCRYPTED = "PARE";
/** Length of the footer and the magic bytes after it. */
const TAIL = 8;
/** Bytes at the end of a file that are read at once: most footers are shorter. */
const FIRST_READ = 65_536;
/** A longer footer is not read: it is damage, or an attack by a server that claims any length. */
const LONGEST = 268_435_456;

const DECRYPT = "Decrypt it with the tool that wrote it; this package has no keys for Parquet.";

/**
 * Reads the footer of a Parquet file: its schema, and where the pages of each column are. Everything in it that is used
 * later has been checked.
 *
 * @throws {ParquetFault} UnsupportedParquet; {DataError} WrongFormat for a file of another format
 */
export async function readFooter(file: RandomAccess): Promise<Footer> {
  const { size } = file;
  const tail = await readRange(file, Math.max(0, size - FIRST_READ), Math.min(size, FIRST_READ));
  const magic = latin(tail.subarray(-4));
  if (magic === ENCRYPTED) throw new UnsupportedParquet("the file is encrypted", DECRYPT);
  if (size < TAIL + 4 || magic !== MAGIC) {
    const start = size > tail.length ? await readRange(file, 0, 8) : tail;
    refuseFormat(start, "a Parquet file");
    throw new ParquetFault(size === 0 ? "it is empty" : "it does not end as a Parquet file does; it may be truncated");
  }
  const length = new DataView(tail.buffer, tail.byteOffset).getUint32(tail.length - TAIL, true);
  if (length > size - TAIL - 4) throw new ParquetFault("its footer is longer than the file");
  if (length > LONGEST) throw new ParquetFault(`its footer has ${length} bytes, the limit is ${LONGEST}`);
  const held = tail.subarray(Math.max(0, tail.length - TAIL - length), tail.length - TAIL);
  const bytes = held.length < length ? await readRange(file, size - TAIL - length, length) : held;
  return footerOf(bytes, size - TAIL - length);
}

const latin = (bytes: Uint8Array): string => latin1Text(bytes);

/** A chunk as it is described: the types, codec, counts and places that {@link chunkOf} reads. */
const CHUNK: Wanted = {
  1: "all",
  3: { 1: "all", 4: "all", 5: "all", 7: "all", 9: "all", 11: "all", 12: "place" },
  8: "all",
};
/** The fields of a footer that are used; most of a long one is not. */
const FOOTER: Wanted = { 2: "all", 3: "all", 4: { 1: CHUNK, 3: "all" }, 5: "all", 6: "all" };

/** @param pagesEnd where the footer begins: all pages end before */
function footerOf(bytes: Uint8Array, pagesEnd: number): Footer {
  const file = new ThriftReader(bytes).struct(FOOTER);
  const elements = structsOf(file, 2);
  if (elements === undefined) throw new ParquetFault("it has no schema");
  const { columns, leaves } = schemaTree(elements);
  const rows = countOf(file, 3, "the number of rows");
  const groups = (structsOf(file, 4) ?? []).map((group, g) => groupOf(group, g, leaves, { bytes, pagesEnd }));
  const total = groups.reduce((sum, group) => sum + group.rows, 0);
  if (total !== rows) throw new ParquetFault(`its footer says ${rows} rows, its row groups hold ${total}`);
  for (const { index, maxRepetition, path } of leaves) {
    const g = groups.findIndex(({ rows, chunks }) => {
      const values = chunks[index]?.values ?? rows;
      // Each row of lists takes at least one value or null.
      return maxRepetition === 0 ? values !== rows : values < rows || (rows === 0 && values > 0);
    });
    if (g >= 0) {
      const name = JSON.stringify(path.join("."));
      throw new ParquetFault(
        `column ${name} of row group ${g} has ${groups[g].chunks[index]?.values} values for ${groups[g].rows} rows`,
      );
    }
  }
  const keyValues = keyValuesOf(file);
  const isOwn = latin(bytesOf(file, 6) ?? new Uint8Array(0)) === CREATED_BY;
  const checksum = isOwn ? keyValues.get(CHECKSUM_KEY) : undefined;
  if (checksum !== undefined && checksum !== schemaChecksum(bytes)) {
    throw new ParquetFault("the checksum of its schema is wrong");
  }
  return { rows, columns, leaves, groups, keyValues, isOwn };
}

/** The bytes of a footer, and where it begins. */
interface FooterBytes {
  readonly bytes: Uint8Array;
  readonly pagesEnd: number;
}

function groupOf(group: ThriftStruct, g: number, leaves: readonly Leaf[], footer: FooterBytes): RowGroup {
  const rows = countOf(group, 3, `the number of rows of row group ${g}`);
  const columns = structsOf(group, 1) ?? [];
  if (columns.length !== leaves.length) {
    throw new ParquetFault(`row group ${g} has ${columns.length} of ${leaves.length} columns`);
  }
  return { rows, chunks: columns.map((column, i) => placedChunk(column, leaves[i], g, footer)) };
}

/** A file has many chunks: the text that names one is made for an error alone. */
function placedChunk(column: ThriftStruct, leaf: Leaf, g: number, footer: FooterBytes): Chunk | undefined {
  try {
    return chunkOf(column, leaf.type, footer);
  } catch (error) {
    throw placed(error, `column ${JSON.stringify(leaf.path.join("."))} of row group ${g}`);
  }
}

function chunkOf(column: ThriftStruct, type: PhysicalType, { bytes, pagesEnd }: FooterBytes): Chunk | undefined {
  if (bytesOf(column, 1) !== undefined) {
    throw new UnsupportedParquet("its pages are in another file", "Write the table into files that are complete.");
  }
  // Encrypted with a key of its own, or described for those alone who have it.
  if (structOf(column, 8) !== undefined) return undefined;
  const meta = structOf(column, 3);
  if (meta === undefined) throw new ParquetFault("it is not described");
  if (PHYSICAL_TYPES[integerOf(meta, 1, -1)] !== type) {
    throw new ParquetFault(`a column of type ${type} has pages of another type`);
  }
  const codec = CODECS[integerOf(meta, 4, -1)];
  if (codec === undefined) throw new ParquetFault("its compression is unknown");
  const data = countOf(meta, 9, "the place of its pages");
  const dictionary = integerOf(meta, 11, 0);
  // Some writers leave 0 where there is no dictionary.
  const start = dictionary > 0 && dictionary < data ? dictionary : data;
  const end = start + countOf(meta, 7, "the size of its pages");
  if (end > pagesEnd) throw new ParquetFault("its pages end outside the file");
  const statisticsAt = integerOf(meta, 12, undefined);
  const statistics = statisticsAt === undefined ? undefined : () => statisticsOf(bytes, statisticsAt);
  return { codec, values: countOf(meta, 5, "the number of its values"), start, end, statistics };
}

function statisticsOf(bytes: Uint8Array, at: number): Statistics {
  const statistics = new ThriftReader(bytes, at).struct();
  const nullCount = integerOf(statistics, 3, undefined);
  const [max, min] = [bytesOf(statistics, 5), bytesOf(statistics, 6)];
  const old = max === undefined && min === undefined;
  return { ...(old ? { max: bytesOf(statistics, 1), min: bytesOf(statistics, 2) } : { max, min }), nullCount, old };
}

function keyValuesOf(file: ThriftStruct): ReadonlyMap<string, string> {
  const pairs = structsOf(file, 5) ?? [];
  const text = (pair: ThriftStruct, id: number): string => utf8Text(bytesOf(pair, id) ?? new Uint8Array(0));
  return new Map(pairs.map((pair) => [text(pair, 1), text(pair, 2)]));
}

/**
 * Reads `length` bytes of a file from `start` on.
 *
 * @param bytes memory for them, of that length
 * @throws {ParquetFault} where the file is shorter, as one that is truncated while it is read
 */
export async function readRange(
  file: RandomAccess,
  start: number,
  length: number,
  bytes = unsafeBytes(length),
): Promise<Uint8Array> {
  await file.read(bytes, start).catch((error: unknown) => {
    throw isArrowbookError(error) ? error : new ParquetFault("the file ends early", { cause: error });
  });
  return bytes;
}

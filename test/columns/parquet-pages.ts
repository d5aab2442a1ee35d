import { ByteWriter, type SchemaElement } from "hyparquet-writer";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";

/** The values of a leaf in the only row group: levels of each slot, and the bytes of the values that are there. */
export interface LeafPage {
  readonly path: readonly string[];
  readonly type: NonNullable<SchemaElement["type"]>;
  readonly slots: number;
  /** Empty where the leaf has no such levels. */
  readonly definitions: readonly number[];
  readonly repetitions: readonly number[];
  readonly maxDefinition: number;
  readonly maxRepetition: number;
  readonly values: Uint8Array;
  /** Definition levels as they are in the page, for very many of them. */
  readonly definitionBytes?: Uint8Array;
  /** What the header of a page of version 2 says, where it is not what the levels say. */
  readonly nulls?: number;
  readonly rows?: number;
}

interface FileParts {
  readonly schema: readonly SchemaElement[];
  readonly rows: number;
  readonly version?: 1 | 2;
  readonly keyValues?: Readonly<Record<string, string>>;
}

/** A Parquet file of one row group with these pages, one for each leaf, uncompressed and PLAIN. */
export function fileOfPages(parts: FileParts, pages: readonly LeafPage[]): Uint8Array {
  const { schema, rows, version = 2, keyValues = {} } = parts;
  const writer = new ByteWriter();
  writer.appendUint32(0x31524150);
  const columns = pages.map((page) => {
    const start = writer.offset;
    writePage(writer, page, version);
    const size = BigInt(writer.offset - start);
    return {
      file_offset: BigInt(start),
      meta_data: {
        type: page.type,
        encodings: ["PLAIN" as const],
        path_in_schema: [...page.path],
        codec: "UNCOMPRESSED" as const,
        num_values: BigInt(page.slots),
        total_uncompressed_size: size,
        total_compressed_size: size,
        data_page_offset: BigInt(start),
      },
    };
  });
  writeMetadata(writer, {
    version: 2,
    schema: [...schema],
    num_rows: BigInt(rows),
    row_groups: [{ columns, total_byte_size: BigInt(writer.offset), num_rows: BigInt(rows) }],
    key_value_metadata: Object.entries(keyValues).map(([key, value]) => ({ key, value })),
    metadata_length: 0,
  });
  writer.appendUint32(0x31524150);
  return writer.getBytes().slice();
}

function writePage(writer: ByteWriter, page: LeafPage, version: 1 | 2): void {
  const { slots, definitions, repetitions, maxDefinition, maxRepetition, values } = page;
  const levels = (all: readonly number[], most: number): Uint8Array => {
    if (most === 0) return new Uint8Array(0);
    const bytes = new ByteWriter();
    writeRleBitPackedHybrid(bytes, [...all], 32 - Math.clz32(most));
    const packed = bytes.getBytes().slice();
    return version === 2
      ? packed
      : new Uint8Array([...new Uint8Array(Uint32Array.of(packed.length).buffer), ...packed]);
  };
  const [repeats, defined] = [
    levels(repetitions, maxRepetition),
    page.definitionBytes ?? levels(definitions, maxDefinition),
  ];
  const size = repeats.length + defined.length + values.length;
  const nulls = page.nulls ?? definitions.filter((level) => level < maxDefinition).length;
  const rows = page.rows ?? slots - repetitions.filter((level) => level > 0).length;
  serializeTCompactProtocol(writer, {
    field_1: version === 2 ? 3 : 0,
    field_2: size,
    field_3: size,
    ...(version === 2
      ? {
          field_8: {
            field_1: slots,
            field_2: nulls,
            field_3: rows,
            field_4: 0,
            field_5: defined.length,
            field_6: repeats.length,
            field_7: false,
          },
        }
      : { field_5: { field_1: slots, field_2: 0, field_3: 3, field_4: 3 } }),
  });
  for (const bytes of [repeats, defined, values]) writer.appendBytes(bytes);
}

/** Integers of 32 bits as they are in a page. */
export const int32Bytes = (values: readonly number[]): Uint8Array => new Uint8Array(Int32Array.from(values).buffer);

/** Integers of 64 bits as they are in a page. */
export const int64Bytes = (values: readonly bigint[]): Uint8Array => new Uint8Array(BigInt64Array.from(values).buffer);

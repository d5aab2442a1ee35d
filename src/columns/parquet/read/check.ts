import { crc32 } from "node:zlib";
import type { ColumnMetaData, FileMetaData, PageHeader } from "hyparquet";

/** Reads a page's header at `reader.offset` and moves the offset behind it. */
export type ReadHeader = (reader: { view: DataView; offset: number }) => PageHeader;

/**
 * Walks over all pages of a file of flat columns and checks their headers, which the library trusts (damaged ones may
 * have it run in a circle), and their checksums where the writer gave some, as this package does.
 *
 * @throws {Error} that says what is damaged
 */
export function checkPages(bytes: ArrayBuffer, metadata: FileMetaData, readHeader: ReadHeader): void {
  const view = new DataView(bytes);
  for (const [g, { columns, num_rows: rows }] of metadata.row_groups.entries()) {
    if (columns.length !== metadata.schema.length - 1) throw new Error(`row group ${g} lacks columns`);
    for (const { meta_data: chunk } of columns) {
      const place = `column ${JSON.stringify(chunk?.path_in_schema.join("."))} of row group ${g}`;
      if (chunk === undefined || chunk.num_values !== rows || rows < 0n) throw new Error(`${place} is damaged`);
      checkChunk(view, chunk, readHeader, place);
    }
  }
}

function checkChunk(view: DataView, chunk: ColumnMetaData, readHeader: ReadHeader, place: string): void {
  const { dictionary_page_offset: dictionary, data_page_offset: data } = chunk;
  const start = Number(dictionary || data);
  const end = start + Number(chunk.total_compressed_size);
  if (!(start >= 0 && end >= start && end <= view.byteLength)) throw new Error(`${place} is outside the file`);
  const reader = { view, offset: start };
  let missing = Number(chunk.num_values);
  while (missing > 0 && reader.offset < end) {
    const header = readHeader(reader);
    if (!isSound(header, end - reader.offset)) throw new Error(`a page of ${place} is damaged`);
    const page = new Uint8Array(view.buffer, reader.offset, header.compressed_page_size);
    if (header.crc !== undefined && crc32(page) !== header.crc >>> 0) {
      throw new Error(`the checksum of a page of ${place} is wrong`);
    }
    missing -= header.data_page_header?.num_values ?? header.data_page_header_v2?.num_values ?? 0;
    reader.offset += header.compressed_page_size;
  }
  if (missing !== 0)
    throw new Error(`the pages of ${place} hold ${missing > 0 ? "fewer" : "more"} values than it has rows`);
}

function isSound(header: PageHeader, room: number): boolean {
  const { type, compressed_page_size: stored, uncompressed_page_size: size, data_page_header: v1 } = header;
  if (type === undefined || !isLength(stored) || !isLength(size) || stored > room) return false;
  if (type === "DATA_PAGE") return v1 !== undefined && isLength(v1.num_values);
  if (type === "DICTIONARY_PAGE") return isLength(header.dictionary_page_header?.num_values);
  if (type !== "DATA_PAGE_V2") return true;
  const v2 = header.data_page_header_v2;
  if (v2 === undefined) return false;
  const { num_values: values, num_nulls: nulls } = v2;
  const { definition_levels_byte_length: definition, repetition_levels_byte_length: repetition } = v2;
  if (![values, nulls, definition, repetition].every(isLength)) return false;
  return nulls <= values && definition + repetition <= Math.min(stored, size);
}

const isLength = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;

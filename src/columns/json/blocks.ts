import { isUtf8 } from "node:buffer";
import { skipSpace } from "../../format/json.js";
import { INPUT } from "../build/block-layout.js";
import type { ColumnBuilder } from "../build/builder.js";
import { type BlockSyntax, RowBlocks } from "../build/row-blocks.js";
import type { RowCursor } from "../build/row-cursor.js";
import { readWholeCell } from "./cell.js";

/** Rows `[cell,cell],` or `[cell, cell], `: `[` before the first cell, a comma behind the last one's `]`. */
const JSON_BLOCKS: BlockSyntax = {
  scan: "scanJson",
  delimiter: 44,
  quote: 34,
  before: 1,
  after: 1,
  readCell: readWholeCell,
};

/** The fewest bytes for which blocks are faster. */
const MIN_BYTES = 16_384;
/** Rows read one at a time after one that is not plain; doubled each time that the blocks since read fewer rows. */
const MIN_REST = 64;
const MAX_REST = 65_536;

/** Reads the plain rows of a JSON page in blocks, chunk by chunk. */
export class JsonBlocks {
  /** The cursor over the input of the block reader, which holds a chunk of the page. */
  private readonly chunk: RowCursor;
  /** Offset in the page of the chunk's first byte. */
  private chunkAt = 0;
  /** Rows still to read one at a time, and how many there will be after the next row that is not plain. */
  private resting = 0;
  private rest = MIN_REST;
  private readSinceRest = 0;

  private constructor(
    private blocks: RowBlocks | undefined,
    input: Uint8Array,
  ) {
    this.chunk = { b: input, p: 0, end: 0, fastEnd: 0, row: 0, capacity: 0 };
  }

  /** A reader of the rows from `start` to `end`; undefined if it would be slower or WebAssembly is unavailable. */
  static take(b: Uint8Array, start: number, end: number): JsonBlocks | undefined {
    if (end - start < MIN_BYTES || !isUtf8(b.subarray(start, end))) return undefined;
    const blocks = RowBlocks.take(JSON_BLOCKS);
    return blocks && new JsonBlocks(blocks, blocks.input);
  }

  /** Releases the block reader: `read` reads nothing from now on. */
  close(): void {
    this.blocks?.release();
    this.blocks = undefined;
  }

  /** Reads rows while they are plain, capacity is left and another row follows; false if it read none. */
  read(cursor: RowCursor, fields: readonly ColumnBuilder[]): boolean {
    if (this.resting > 0) {
      this.resting--;
      return false;
    }
    const read = this.readChunk(cursor, fields) || (this.mayReload(cursor) && this.readChunk(cursor, fields));
    if (!read) {
      this.rest = this.readSinceRest < this.rest ? Math.min(this.rest * 2, MAX_REST) : MIN_REST;
      // The next row is one of them.
      this.resting = this.rest - 1;
      this.readSinceRest = 0;
    }
    return read;
  }

  /** Whether the next row may extend past the chunk: it is read again with more of the page. */
  private mayReload(cursor: RowCursor): boolean {
    const { chunk, chunkAt } = this;
    const p = cursor.p - chunkAt;
    if (p * 2 <= chunk.end || chunkAt + chunk.end >= cursor.end) return false;
    chunk.end = 0;
    return true;
  }

  private readChunk(cursor: RowCursor, fields: readonly ColumnBuilder[]): boolean {
    const { blocks, chunk } = this;
    if (blocks === undefined) return false;
    if (cursor.p >= this.chunkAt + chunk.end) this.load(cursor);
    const { row } = cursor;
    chunk.p = cursor.p - this.chunkAt;
    chunk.row = row;
    chunk.capacity = cursor.capacity;
    if (!blocks.read(chunk, fields)) {
      this.close();
      return false;
    }
    cursor.p = skipSpace(cursor.b, this.chunkAt + chunk.p, cursor.end);
    cursor.row = chunk.row;
    this.readSinceRest += cursor.row - row;
    return cursor.row > row;
  }

  /** Copies the bytes from the cursor on into the input. */
  private load({ b, p, end }: RowCursor): void {
    const { chunk } = this;
    const length = Math.min(INPUT, end - p);
    chunk.b.set(b.subarray(p, p + length));
    chunk.end = length;
    chunk.fastEnd = length;
    this.chunkAt = p;
  }
}

import { skipSpace } from "../../format/json.js";
import { isUtf8 } from "../../platform/node/bytes.js";
import type { BatchRows } from "../build/batch-rows.js";
import { INPUT } from "../build/block-layout.js";
import { type BlockSyntax, RowBlocks, type RowBytes } from "../build/row-blocks.js";
import { readPlainCell } from "./cell.js";

/** Rows `[cell,cell],` or `[cell, cell], `: `[` before the first cell, a comma behind the last one's `]`. */
const JSON_BLOCKS: BlockSyntax = {
  scan: "scanJson",
  delimiter: 44,
  quote: 34,
  before: 1,
  after: 1,
  readCell: readPlainCell,
};

/** The fewest bytes for which blocks are faster. */
const MIN_BYTES = 1_024;

/** Reads the plain rows of a JSON page in blocks, chunk by chunk. */
export class JsonBlocks {
  /** The input of the block reader, which holds a chunk of the page. */
  private readonly chunk: RowBytes;
  /** Offset in the page of the chunk's first byte. */
  private chunkAt = 0;

  private constructor(private blocks: RowBlocks | undefined) {
    this.chunk = { b: (blocks as RowBlocks).input, p: 0, end: 0, fastEnd: 0 };
  }

  /** A reader of the rows from `start` to `end`; undefined if it would be slower or there is no memory for it. */
  static take(b: Uint8Array, start: number, end: number): JsonBlocks | undefined {
    if (end - start < MIN_BYTES || !isUtf8(b.subarray(start, end))) return undefined;
    const blocks = RowBlocks.take(JSON_BLOCKS);
    return blocks && new JsonBlocks(blocks);
  }

  /** Releases the block reader: `read` reads nothing from now on. */
  close(): void {
    this.blocks?.release();
    this.blocks = undefined;
  }

  /** Reads rows while they are plain, there is room and another row follows; false if it read none. */
  read(page: RowBytes, batch: BatchRows): boolean {
    if (this.blocks === undefined || this.blocks.isResting()) return false;
    if (this.readChunk(page, batch) || (this.mayReload(page) && this.readChunk(page, batch))) return true;
    this.blocks?.rest();
    return false;
  }

  /** Whether the next row may extend past the chunk: it is read again with more of the page. */
  private mayReload(page: RowBytes): boolean {
    const { chunk, chunkAt } = this;
    if ((page.p - chunkAt) * 2 <= chunk.end || chunkAt + chunk.end >= page.end) return false;
    chunk.end = 0;
    return true;
  }

  private readChunk(page: RowBytes, batch: BatchRows): boolean {
    const { blocks, chunk } = this;
    if (blocks === undefined) return false;
    if (page.p >= this.chunkAt + chunk.end) this.load(page);
    chunk.p = page.p - this.chunkAt;
    const rows = blocks.read(chunk, batch, batch.builders);
    if (rows < 0) this.close();
    if (rows <= 0) return false;
    page.p = skipSpace(page.b, this.chunkAt + chunk.p, page.end);
    return true;
  }

  /** Copies the bytes of the page from its position on into the input. */
  private load({ b, p, end }: RowBytes): void {
    const { chunk } = this;
    const length = Math.min(INPUT, end - p);
    chunk.b.set(b.subarray(p, p + length));
    chunk.end = length;
    chunk.fastEnd = length;
    this.chunkAt = p;
  }
}

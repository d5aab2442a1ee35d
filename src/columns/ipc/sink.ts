import type { FileHandle } from "node:fs/promises";
import { AsyncByteQueue } from "../arrow/arrow.js";

/** Buffers the output of one of Arrow's writers, which have no backpressure, until it is written to a file. */
export class ArrowSink extends AsyncByteQueue {
  private chunks: Uint8Array[] = [];

  override write(value: unknown): void {
    const bytes = value as Uint8Array;
    if (bytes?.byteLength > 0) this.chunks.push(bytes);
  }

  /** Everything buffered. The library's own join drops columns that share their memory with the one before. */
  bytes(): Uint8Array {
    const all = new Uint8Array(this.chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
    let at = 0;
    for (const chunk of this.chunks) {
      all.set(chunk, at);
      at += chunk.byteLength;
    }
    return all;
  }

  /** Writes everything buffered to the file, however little each write accepts; returns the number of bytes. */
  async flush(file: FileHandle): Promise<number> {
    const { chunks } = this;
    this.chunks = [];
    const wanted = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
    if (wanted === 0) return 0;
    const { bytesWritten } = await file.writev(chunks);
    const rest = bytesWritten < wanted ? Buffer.concat(chunks).subarray(bytesWritten) : Buffer.alloc(0);
    for (let at = 0; at < rest.length; ) at += (await file.write(rest, at)).bytesWritten;
    return wanted;
  }
}

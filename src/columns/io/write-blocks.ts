import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { atomicFile } from "../../disk/atomic-file.js";

/**
 * Writes blocks to a file, compressed with gzip if the path ends in `.gz`, and returns the size of the file. The file
 * gets its name once it is complete.
 *
 * @throws {FileError} if it cannot be written; also any error of the blocks
 */
export async function writeBlocks(path: string, blocks: AsyncIterable<Uint8Array>): Promise<number> {
  return atomicFile(path, async (file) => {
    let bytes = 0;
    const write = async (source: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const block of source) {
        await file.writeFile(block);
        bytes += block.length;
      }
    };
    if (/\.gz$/i.test(path)) await pipeline(copies(blocks), createGzip(), write);
    else await write(blocks);
    return bytes;
  });
}

/** The compressor reads a block later, when its memory may already hold the next one. */
async function* copies(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) yield Buffer.from(block);
}

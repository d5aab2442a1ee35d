import { atomicFile } from "../../disk/atomic-file.js";
import { gzipStream } from "../../platform/node/compression.js";

/** Bytes to write; a block is valid until the next one is requested. */
type Blocks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Writes blocks to a file, compressed with gzip if the path ends in `.gz`, and returns the size of the file. The file
 * gets its name once it is complete.
 *
 * @throws {FileError} if it cannot be written; also any error of the blocks
 */
export async function writeBlocks(path: string, blocks: Blocks): Promise<number> {
  return atomicFile(path, async (file) => {
    let bytes = 0;
    const write = async (source: Blocks): Promise<void> => {
      for await (const block of source) {
        await file.writeFile(block);
        bytes += block.length;
      }
    };
    if (/\.gz$/i.test(path)) await write(gzipStream(copies(blocks)));
    else await write(blocks);
    return bytes;
  });
}

/** The compressor reads a block later, when its memory may already hold the next one. */
async function* copies(blocks: Blocks): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) yield new Uint8Array(block);
}

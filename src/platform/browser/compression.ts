import type * as node from "../node/compression.js";

async function* through(
  body: AsyncIterable<Uint8Array>,
  stream: CompressionStream | DecompressionStream,
): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const source = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel: () => void iterator.return?.(),
  });
  const reader = source.pipeThrough<Uint8Array>(stream).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    // Where the caller leaves before the end, so does the body.
    await reader.cancel().catch(() => undefined);
  }
}

export const decodedStream: typeof node.decodedStream = (body, coding) =>
  through(body, new DecompressionStream(coding as "gzip"));

export const gzipStream: typeof node.gzipStream = (blocks) => through(blocks, new CompressionStream("gzip"));

/** Pages have no Brotli and no Zstandard: the latter is decoded in WebAssembly. */
export const brotliBytes: typeof node.brotliBytes = undefined;
export const compressZstd: typeof node.compressZstd = undefined;
export const zstdBytes: typeof node.zstdBytes = undefined;
export const zstdStream: typeof node.zstdStream = undefined;

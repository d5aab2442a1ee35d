import { StringDecoder } from "node:string_decoder";

export type StreamName = "stdout" | "stderr";

const FLUSH_MS = 40;
const FLUSH_CHARS = 32_768;

/**
 * Replaces `process.stdout` and `process.stderr`. Writes are buffered briefly so that a printing loop does not send one
 * message per line; the output of a busy cell still appears while it runs.
 *
 * @returns sends the buffered output; called before anything else is published, to keep the order
 */
export function captureStreams(publish: (name: StreamName, text: string) => void): () => void {
  let held: { name: StreamName; text: string } | undefined;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (held === undefined) return;
    const { name, text } = held;
    held = undefined;
    publish(name, text);
  };

  const add = (name: StreamName, text: string): void => {
    if (text === "") return;
    if (held !== undefined && held.name !== name) flush();
    if (held === undefined) {
      since = performance.now();
      held = { name, text };
    } else held.text += text;
    if (held.text.length > FLUSH_CHARS || performance.now() - since > FLUSH_MS) flush();
    else timer ??= setTimeout(flush, FLUSH_MS).unref();
  };

  for (const name of ["stdout", "stderr"] as const) process[name].write = writer((text) => add(name, text));
  return flush;
}

type Done = (error?: Error | null) => void;

function writer(add: (text: string) => void): NodeJS.WriteStream["write"] {
  const decoder = new StringDecoder("utf8");
  return (chunk: Uint8Array | string, encoding?: BufferEncoding | Done, done?: Done) => {
    add(typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk)));
    const told = typeof encoding === "function" ? encoding : done;
    if (told !== undefined) process.nextTick(told);
    return true;
  };
}

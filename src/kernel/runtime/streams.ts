import { StringDecoder } from "node:string_decoder";

export type StreamName = "stdout" | "stderr";

const FLUSH_MS = 40;
const FLUSH_CHARS = 32_768;
/** Writes that are sent at once, as a loop after them gives no timer a turn; one more may be each {@link FLUSH_MS}. */
const AT_ONCE = 20;
/** What a cell may print before the rest is left out, but for its last lines. */
const SHOWN_LINES = 10_000;
const SHOWN_CHARS = 2_000_000;
const LAST_LINES = 100;
const LAST_CHARS = 20_000;

export interface CapturedStreams {
  /** Sends the buffered output; called before anything else is published, to keep the order. */
  flush(): void;
  /** Sends the last lines of a cell whose output was too long. */
  finish(cell: object): void;
}

/**
 * Replaces `process.stdout` and `process.stderr`. The first writes are sent at once, further ones are buffered briefly,
 * so that a printing loop does not send one message per line; the output of a busy cell appears while it runs. A cell
 * that prints more than a page can show has its first and its last lines.
 *
 * @param cell the cell whose code runs now, as its output belongs to it
 */
export function captureStreams<Cell extends object>(
  cell: () => Cell | undefined,
  publish: (name: StreamName, text: string, cell: Cell | undefined) => void,
): CapturedStreams {
  let held: { readonly name: StreamName; readonly cell: Cell | undefined; text: string } | undefined;
  let since = 0;
  let atOnce = AT_ONCE;
  let counted = 0;
  let timer: NodeJS.Timeout | undefined;
  const printed = new WeakMap<Cell, Printed>();

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (held === undefined) return;
    const { name, cell: owner, text } = held;
    held = undefined;
    const before = (owner && printed.get(owner)) ?? new Printed();
    if (owner !== undefined) printed.set(owner, before);
    const shown = before.shownOf(text);
    if (shown !== "") publish(name, shown, owner);
  };

  const add = (name: StreamName, text: string): void => {
    if (text === "") return;
    const owner = cell();
    if (held !== undefined && (held.name !== name || held.cell !== owner)) flush();
    if (held === undefined) {
      since = performance.now();
      held = { name, cell: owner, text };
    } else held.text += text;
    const now = performance.now();
    atOnce = Math.min(AT_ONCE, atOnce + (now - counted) / FLUSH_MS);
    counted = now;
    if (atOnce >= 1) {
      atOnce--;
      flush();
    } else if (held.text.length > FLUSH_CHARS || now - since > FLUSH_MS) flush();
    else timer ??= setTimeout(flush, FLUSH_MS).unref();
  };

  for (const name of ["stdout", "stderr"] as const) process[name].write = writer((text) => add(name, text));
  return {
    flush,
    finish(owner) {
      flush();
      const end = printed.get(owner as Cell)?.end() ?? "";
      if (end !== "") publish("stdout", end, owner as Cell);
    },
  };
}

/** The output of one cell, of which the beginning is shown at once and the end when the cell is done. */
class Printed {
  #lines = 0;
  #chars = 0;
  #omittedLines = 0;
  #omittedChars = 0;
  #last = "";

  /** The part of further output that is shown now. */
  shownOf(text: string): string {
    const lines = text.split("\n").length - 1;
    const room = SHOWN_CHARS - this.#chars;
    this.#lines += lines;
    this.#chars += text.length;
    if (this.#omittedChars > 0) return this.#omit(text, lines);
    const over = this.#lines - SHOWN_LINES;
    if (over <= 0 && this.#chars <= SHOWN_CHARS) return text;
    const all = over > 0 ? text.split("\n", lines - over).map((line) => `${line}\n`) : [text];
    const head = all.join("").slice(0, room);
    this.#omit(text.slice(head.length), lines - (head.split("\n").length - 1));
    return `${/.$/.test(head) ? `${head}\n` : head}… the output is too long for a page: its last lines follow when the cell is done\n`;
  }

  #omit(text: string, lines: number): string {
    this.#omittedLines += lines;
    this.#omittedChars += text.length;
    this.#last = (this.#last + text).slice(-LAST_CHARS);
    return "";
  }

  /** What follows the beginning; empty if nothing was left out, and from the second call on. */
  end(): string {
    const lines = this.#last.split("\n").slice(-LAST_LINES - 1);
    const text = lines.join("\n");
    const [left, chars] = [this.#omittedLines - (lines.length - 1), this.#omittedChars - text.length];
    if (this.#last === "") return "";
    this.#last = "";
    const shown = (count: number): string => count.toLocaleString("en-US");
    const what = left > 0 ? `${shown(left)} of ${shown(this.#lines)} lines` : `${shown(chars)} characters`;
    return chars > 0 ? `… ${what} are left out here\n${text}` : text;
  }
}

type Done = (error?: Error | null) => void;

function writer(add: (text: string) => void): NodeJS.WriteStream["write"] {
  const decoder = new StringDecoder("utf8");
  return (chunk: Uint8Array | string, encoding?: BufferEncoding | Done, done?: Done) => {
    if (typeof chunk === "string" && typeof encoding !== "string") add(chunk);
    else
      add(
        decoder.write(typeof chunk === "string" ? Buffer.from(chunk, encoding as BufferEncoding) : Buffer.from(chunk)),
      );
    const told = typeof encoding === "function" ? encoding : done;
    if (told !== undefined) process.nextTick(told);
    return true;
  };
}

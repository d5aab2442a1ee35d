import { builtin } from "../../package/builtin.js";
import { cutTo } from "../base/width.js";

export interface ProgressScreen {
  /** Shows these lines, or `front` alone where there is room for one. */
  readonly draw: (lines: readonly string[], front: string) => void;
  /** Columns available for `front`; undefined where all lines are shown. */
  readonly width?: () => number;
  /** Ends with these lines, which stay. */
  readonly end: (lines: readonly string[]) => void;
  /** In a notebook, where the display stays: whether its cell is still running. */
  readonly cellRuns?: () => boolean;
}

/** The screen that owns the terminal's line; others show nothing until it is free. */
let holder: object | undefined;

/**
 * One line that is redrawn in place on standard error. Other output goes above it; while its line is unfinished, or a
 * prompt reads keys, redrawing pauses. The cursor stays visible and lines wrap as before, so that a killed process
 * (Ctrl-C) leaves the terminal unchanged. Stops once the terminal is closed.
 */
export function terminalScreen(): ProgressScreen {
  let line: ReturnType<typeof terminalLine> | undefined;
  let isGone = false;
  const me = {};
  const free = (): void => {
    line?.close();
    line = undefined;
    if (holder === me) holder = undefined;
  };
  const gone = (): void => {
    isGone = true;
    free();
  };
  return {
    width: () => width() - 1,
    draw(_, front) {
      if (isGone || (holder !== undefined && holder !== me)) return;
      holder = me;
      line ??= terminalLine(gone);
      line.show(front);
    },
    end(lines) {
      const isFinished = line?.isFinished() ?? true;
      free();
      if (isGone || lines.length === 0) return;
      const { stderr } = process;
      quietWrite(stderr, stderr.write, gone)(`${isFinished ? "" : "\n"}${lines.join("\n")}\n`);
    },
  };
}

const width = (): number => process.stderr.columns || 80;

/** Acquires the terminal; `gone` is called when it can no longer be written to. */
function terminalLine(gone: () => void) {
  const { stderr, stdout } = process;
  let isShown = false;
  let isFinished = true;
  const own = quietWrite(stderr, stderr.write, gone);
  const erase = (): void => {
    if (isShown) own("\r\x1b[2K");
    isShown = false;
  };
  const others = (chunk: unknown): void => {
    erase();
    isFinished = endsLine(chunk) ?? isFinished;
  };
  const restore = [stderr, ...(stdout.isTTY ? [stdout] : [])].map((stream) => beforeWrites(stream, others));
  const close = (): void => {
    erase();
    for (const one of restore) one();
    for (const event of ENDS) process.off(event, close);
  };
  for (const event of ENDS) process.on(event, close);
  return {
    show(text: string) {
      if (!isFinished || readsKeys()) return erase();
      // The content of the line was written earlier and stays.
      if (!isShown) own(freshLine(width()));
      own(`\r${cutTo(text, width() - 1)}\x1b[K`);
      isShown = true;
    },
    /** Whether the last foreign output ended its line. */
    isFinished: () => isFinished,
    /** Erases the line and releases the terminal. */
    close,
  };
}

/** Whether standard input is read key by key, as by a prompt that moves the cursor itself. */
function readsKeys(): boolean {
  return builtin("node:tty").isatty(0) && process.stdin.isRaw === true;
}

/** When the process ends or fails, an open bar is erased first, so that nothing is printed below it. */
const ENDS = ["exit", "uncaughtExceptionMonitor"] as const;

/** Runs `before` ahead of all foreign output to a stream; returns a function that undoes this. */
function beforeWrites(stream: NodeJS.WriteStream, before: (chunk: unknown) => void): () => void {
  const { write } = stream;
  const watched = function (this: unknown, ...args: unknown[]): boolean {
    before(args[0]);
    return (write as (...args: unknown[]) => boolean).apply(stream, args);
  } as typeof write;
  stream.write = watched;
  return () => {
    // If others have wrapped our function it stays, but only forwards.
    if (stream.write === watched) stream.write = write;
  };
}

/** How many bytes at the end of a text are examined. */
const LAST = 200;

/** Whether a text written to a terminal ends its line; undefined where it writes nothing visible. */
function endsLine(chunk: unknown): boolean | undefined {
  const end = typeof chunk === "string" ? chunk.slice(-LAST) : chunk instanceof Uint8Array ? lastOf(chunk) : "";
  // Colours and cursor movements are invisible.
  const seen = end.replace(/\x1b\[[\d;?]*[A-Za-z]/g, "");
  return seen === "" ? undefined : seen.endsWith("\n");
}

const lastOf = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes.subarray(-LAST));

/**
 * Brings the cursor to the start of an empty line, wherever it was: a line of spaces fills an empty line, and wraps
 * into the next one behind text. Terminals wrap only before the next character, so that an empty line is not skipped.
 */
function freshLine(columns: number): string {
  return `${" ".repeat(columns)}\r`;
}

/**
 * Writes to a stream whose other end may close, as Node's console does: errors are swallowed and do not end the
 * process. After the first error nothing more is written, and `failed` is called, but never before the write has
 * returned.
 */
function quietWrite(
  stream: NodeJS.WriteStream,
  write: NodeJS.WriteStream["write"],
  failed: () => void,
): (text: string) => boolean {
  let isGone = false;
  const fail = (): void => {
    if (!isGone) failed();
    isGone = true;
  };
  return (text) => {
    if (isGone) return false;
    stream.once("error", ignore);
    try {
      return write.call(stream, text, "utf8", (error) => {
        if (!error) return;
        // The event follows this call, once, or once per pending write.
        stream.on("error", ignore);
        setImmediate(() => stream.off("error", ignore));
        fail();
      });
    } catch {
      process.nextTick(fail);
      return false;
    } finally {
      stream.off("error", ignore);
    }
  };
}

const ignore = (): void => {};

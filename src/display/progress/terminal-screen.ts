import { createRequire } from "node:module";
import { cutTo } from "../width.js";
import type { ProgressScreen } from "./screen.js";

/** What is used of cli-progress. */
interface SingleBar {
  start(total: number, value: number, payload: object): void;
  update(payload: object): void;
  render(): void;
  stop(): void;
}

/** The screen that has the terminal's line; another one shows nothing until it is free. */
let holder: object | undefined;

/**
 * One line redrawn in place on standard error. What others write to the terminal meanwhile goes above it. The cursor stays visible and
 * lines wrap as before, so that a process that is killed (Ctrl-C) leaves the terminal as it was.
 */
export function terminalScreen(): ProgressScreen {
  let line: TerminalLine | undefined;
  const me = {};
  const free = (): void => {
    line?.close();
    line = undefined;
    if (holder === me) holder = undefined;
  };
  return {
    width: () => (process.stderr.columns || 80) - 1,
    draw(_, front) {
      if (holder !== undefined && holder !== me) return;
      holder = me;
      line ??= terminalLine();
      line.show(front);
    },
    end(lines) {
      free();
      if (lines.length > 0) process.stderr.write(`${lines.join("\n")}\n`);
    },
  };
}

interface TerminalLine {
  readonly show: (text: string) => void;
  /** Erases the line and lets go of the terminal. */
  readonly close: () => void;
}

function terminalLine(): TerminalLine {
  const { stderr, stdout } = process;
  let bar: SingleBar | undefined;
  const erase = (): void => {
    bar?.stop();
    bar = undefined;
  };
  const own = writesPast(stderr, erase);
  const others = stdout.isTTY ? writesPast(stdout, erase) : undefined;
  const give = (): void => {
    erase();
    own.restore();
    others?.restore();
    for (const event of ENDS) process.off(event, give);
  };
  for (const event of ENDS) process.on(event, give);
  return {
    show(text) {
      const cut = cutTo(text, (stderr.columns || 80) - 1);
      if (bar !== undefined) {
        bar.update({ line: cut });
        bar.render();
        return;
      }
      bar = newBar({ isTTY: true, columns: stderr.columns || 80, write: own.write });
      bar.start(1, 0, { line: cut });
    },
    close: give,
  };
}

/** Nothing is printed below a bar that is still there when the process ends or fails. */
const ENDS = ["exit", "uncaughtExceptionMonitor"] as const;

/** Runs `before` ahead of everything that others write to a stream; `write` goes past it. */
function writesPast(stream: NodeJS.WriteStream, before: () => void) {
  const { write } = stream;
  const watched = function (this: unknown, ...args: unknown[]): boolean {
    before();
    return (write as (...args: unknown[]) => boolean).apply(stream, args);
  } as typeof write;
  stream.write = watched;
  return {
    write: (text: string): boolean => write.call(stream, text),
    restore: (): void => {
      // Whoever has put a function of his own around ours keeps it; ours then only passes on.
      if (stream.write === watched) stream.write = write;
    },
  };
}

type BarClass = new (options: object) => SingleBar & { readonly timer: NodeJS.Timeout | null };

/** A bar of cli-progress, which loads on first use; its timer does not keep the process alive. */
function newBar(stream: object): SingleBar {
  const { SingleBar: Bar } = createRequire(import.meta.url)("cli-progress") as { SingleBar: BarClass };
  class QuietBar extends Bar {
    override render(): void {
      super.render();
      this.timer?.unref();
    }
  }
  return new QuietBar({
    stream,
    linewrap: true,
    clearOnComplete: true,
    fps: 1,
    format: (_: unknown, __: unknown, payload: { readonly line: string }) => payload.line,
  });
}

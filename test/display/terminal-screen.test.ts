import { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import tty from "node:tty";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { liveWork } from "../../src/display/progress/follow.js";
import { progress } from "../../src/display/progress/progress.js";
import { fakeTerminal } from "./terminal.js";

/* A bar is a guest on the terminal of somebody else's program. */

let isRaw = false;
beforeEach(() => {
  isRaw = false;
  vi.stubEnv("ARROWBOOK_PROGRESS", "on");
  vi.stubEnv("TERM", "xterm");
  vi.spyOn(tty, "isatty").mockReturnValue(true);
  vi.spyOn(process, "stdin", "get").mockImplementation(() => ({ isRaw }) as never);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const rows = (count: number) => ({ phase: "rows", code: "A/B", rows: count });
const work = (ms: number): void => {
  const { tell, end } = liveWork();
  tell(rows(1));
  vi.advanceTimersByTime(ms);
  end();
};

describe("what others print", () => {
  let screen: ReturnType<typeof fakeTerminal>;
  beforeEach(() => {
    screen = fakeTerminal({ stdout: true, columns: 40 });
  });
  afterEach(() => screen.restore());

  it("stays where it was printed before the bar and left without an end of line", () => {
    process.stdout.write("above\nReading prices... ");
    const { tell, end } = liveWork();
    tell(rows(1));
    vi.advanceTimersByTime(700);
    expect(screen.screen).toEqual(["above", "Reading prices...", expect.stringMatching(/^A\/B 1 row/)]);
    end();
    process.stdout.write("done\n");
    expect(screen.screen).toEqual(["above", "Reading prices...", "done"]);
  });

  it("is followed by the bar at once where its line has ended", () => {
    process.stdout.write("above\n");
    const { tell, end } = liveWork();
    tell(rows(1));
    vi.advanceTimersByTime(700);
    expect(screen.screen).toEqual(["above", expect.stringMatching(/^A\/B 1 row/)]);
    end();
    process.stdout.write("done\n");
    expect(screen.screen).toEqual(["above", "done"]);
  });

  it.each([
    ["text", "two", "\x1b[32m, three\n\x1b[0m"],
    ["bytes", Buffer.from("two"), Buffer.from(", three\n")],
  ])("keeps a line that is printed in pieces: %s", (_, first, second) => {
    const { tell, end } = liveWork();
    tell(rows(1));
    vi.advanceTimersByTime(700);
    process.stdout.write("one, ");
    vi.advanceTimersByTime(2_000);
    process.stdout.write(first);
    vi.advanceTimersByTime(2_000);
    process.stdout.write("\x1b[0m");
    expect(screen.screen).toEqual(["one, two"]);
    process.stderr.write(second);
    vi.advanceTimersByTime(2_000);
    expect(screen.screen).toEqual(["one, two, three", expect.stringMatching(/^A\/B 1 row/)]);
    end();
    expect(screen.screen).toEqual(["one, two, three"]);
  });

  it("precedes the lines that a bar of the caller's own leaves", () => {
    const bar = progress();
    bar(rows(1));
    process.stdout.write("one");
    bar.done();
    expect(screen.screen).toEqual(["one", expect.stringMatching(/^A\/B: 1 row/)]);
  });

  it("may be a prompt that reads keys: no bar begins, and one that shows goes", () => {
    isRaw = true;
    work(3_000);
    expect(screen.written).toBe("");
    isRaw = false;
    const { tell, end } = liveWork();
    tell(rows(1));
    vi.advanceTimersByTime(1_000);
    expect(screen.screen).toHaveLength(1);
    isRaw = true;
    vi.advanceTimersByTime(1_000);
    expect(screen.screen).toEqual([]);
    isRaw = false;
    vi.advanceTimersByTime(1_000);
    expect(screen.screen).toHaveLength(1);
    end();
  });
});

describe("a terminal that goes away", () => {
  /**
   * A stream on which writing fails, as that of a closed terminal; `unheard` are the errors that would end the process.
   */
  const closedTerminal = (fail: (done: (error: Error) => void) => void) => {
    const unheard: unknown[] = [];
    let written = 0;
    const stream = new Writable({
      autoDestroy: false,
      decodeStrings: false,
      write(_, __, done) {
        written++;
        fail(done);
      },
    });
    const emit = stream.emit.bind(stream);
    stream.emit = (event: string | symbol, ...args: unknown[]) => {
      if (event !== "error" || stream.listenerCount("error") > 0) return emit(event as "error", ...(args as [Error]));
      return unheard.push(...args) > 0;
    };
    vi.spyOn(process, "stderr", "get").mockReturnValue(Object.assign(stream, { isTTY: true, columns: 80 }) as never);
    return { stream, unheard, written: () => written };
  };
  const error = Object.assign(new Error("write EIO"), { code: "EIO" });

  it.each([
    ["at once", (done: (error: Error) => void) => done(error)],
    ["later", (done: (error: Error) => void) => void setImmediate().then(() => done(error))],
    [
      "by throwing",
      () => {
        throw error;
      },
    ],
  ])("does no harm, and nothing is written to it any more: writes fail %s", async (_, fail) => {
    const { stream, unheard, written } = closedTerminal(fail);
    const write = stream.write;
    const { tell, end } = liveWork();
    tell(rows(1));
    vi.advanceTimersByTime(700);
    for (let i = 0; i < 5; i++) await setImmediate();
    const attempts = written();
    expect(attempts).toBeGreaterThan(0);
    expect(stream.write).toBe(write);
    for (let i = 0; i < 5; i++) {
      vi.advanceTimersByTime(1_000);
      tell(rows(i));
      await setImmediate();
    }
    end();
    expect(written()).toBe(attempts);
    const bar = progress();
    bar(rows(1));
    bar.done();
    for (let i = 0; i < 5; i++) await setImmediate();
    expect(unheard).toEqual([]);
    expect(stream.listenerCount("error")).toBe(0);
    expect(process.listenerCount("uncaughtExceptionMonitor")).toBe(0);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OnProgress } from "../../src/columns/io/progress.js";
import { type Followed, follow } from "../../src/display/progress/follow.js";
import { progress } from "../../src/display/progress/progress.js";
import { fakeTslab, noTslab } from "./fake-tslab.js";
import { fakeTerminal } from "./terminal.js";

/* Long tasks show their progress without any option or extra call. */

const begun: Followed[] = [];
const begin = (onProgress?: OnProgress | false): Followed => {
  const work = follow(onProgress);
  begun.push(work);
  return work;
};

let restore: (() => void) | undefined;
const terminal = (options?: { stdout?: boolean; columns?: number }) => {
  const made = fakeTerminal(options);
  restore = made.restore;
  return made;
};

beforeEach(() => {
  vi.stubEnv("ARROWBOOK_PROGRESS", "on");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});

afterEach(() => {
  for (const { end } of begun.splice(0)) end();
  vi.runAllTimers();
  restore?.();
  restore = undefined;
  noTslab();
  delete (globalThis as { Deno?: unknown }).Deno;
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const code = "MARKET/PRICES";

describe("on a terminal", () => {
  it("shows one line once work has lasted half a second, and leaves nothing", () => {
    const screen = terminal();
    const { tell, end } = begin();
    tell({ phase: "rows", code, rows: 0, bytes: 0 });
    vi.advanceTimersByTime(400);
    tell({ phase: "rows", code, rows: 10_000, bytes: 1_000_000 });
    expect(screen.written).toBe("");
    vi.advanceTimersByTime(100);
    expect(screen.screen).toEqual(["MARKET/PRICES 10,000 rows · 1.0 MB · 2.0 MB/s"]);
    vi.advanceTimersByTime(1_000);
    expect(screen.screen).toEqual(["MARKET/PRICES 10,000 rows · 1.0 MB · 667 kB/s"]);
    vi.advanceTimersByTime(500);
    tell({ phase: "rows", code, rows: 40_000, bytes: 4_000_000 });
    expect(screen.screen).toEqual(["MARKET/PRICES 40,000 rows · 4.0 MB · 2.0 MB/s"]);
    tell({ phase: "rows", code, rows: 40_000, bytes: 4_000_000, done: true });
    end();
    expect(screen.screen).toEqual([]);
  });

  it("shows the share and the time left of a download, and counts down to the next poll", () => {
    const screen = terminal();
    const { tell, end } = begin();
    tell({ phase: "wait", code, status: "creating", pause: 4_000 });
    vi.advanceTimersByTime(1_500);
    expect(screen.screen).toEqual(["MARKET/PRICES export creating · again in 2.5 s"]);
    tell({ phase: "wait", code, status: "fresh", done: true });
    tell({ phase: "download", code, bytes: 0, total: 8_000_000 });
    vi.advanceTimersByTime(2_200);
    tell({ phase: "download", code, bytes: 2_200_000, total: 8_000_000 });
    expect(screen.screen).toEqual([
      "MARKET/PRICES downloading ▕███░░░░░░░▏ 27 % · 2.2 of 8.0 MB · 1.0 MB/s · 5.8 s left",
    ]);
    end();
    expect(screen.screen).toEqual([]);
  });

  it("shows nothing of short work, nor of work whose first news is its end", () => {
    const screen = terminal();
    for (let i = 0; i < 50; i++) {
      const { tell, end } = begin();
      tell({ phase: "rows", code, rows: 5 });
      vi.advanceTimersByTime(300);
      end();
    }
    const { tell, end } = begin();
    vi.advanceTimersByTime(3_000);
    tell({ phase: "rows", code, rows: 5, done: true });
    end();
    expect(screen.written).toBe("");
  });

  it("goes when the work fails or its caller breaks out, and takes no news of it any more", () => {
    const screen = terminal();
    const { tell, end } = begin();
    tell({ phase: "rows", code, rows: 5 });
    vi.advanceTimersByTime(700);
    expect(screen.screen).toHaveLength(1);
    end();
    end();
    tell({ phase: "rows", code, rows: 6 });
    vi.advanceTimersByTime(5_000);
    expect(screen.screen).toEqual([]);
  });

  it("gives two works at once one line, the older one first", () => {
    const screen = terminal();
    const [one, two] = [begin(), begin()];
    one.tell({ phase: "rows", code: "A/ONE", rows: 1 });
    two.tell({ phase: "rows", code: "A/TWO", rows: 2 });
    vi.advanceTimersByTime(700);
    expect(screen.screen).toEqual(["A/ONE 1 row · 0.5 s · and 1 more"]);
    for (let i = 0; i < 20; i++) {
      vi.advanceTimersByTime(100);
      two.tell({ phase: "rows", code: "A/TWO", rows: i });
      expect(screen.screen[0]).toContain("A/ONE");
    }
    one.end();
    expect(screen.screen).toEqual([expect.stringMatching(/^A\/TWO 19 rows · \d/)]);
    two.end();
    expect(screen.screen).toEqual([]);
  });

  it("keeps the output of others above it", () => {
    const screen = terminal({ stdout: true });
    const { tell, end } = begin();
    tell({ phase: "rows", code, rows: 5 });
    vi.advanceTimersByTime(700);
    process.stdout.write("one\n");
    expect(screen.screen).toEqual(["one"]);
    vi.advanceTimersByTime(1_000);
    process.stderr.write("two\n");
    vi.advanceTimersByTime(1_000);
    expect(screen.screen).toEqual(["one", "two", expect.stringContaining("MARKET/PRICES 5 rows")]);
    end();
    process.stdout.write("three\n");
    expect(screen.screen).toEqual(["one", "two", "three"]);
  });

  it("changes nothing of the terminal that would have to be restored, and keeps to one line of it", () => {
    const screen = terminal({ columns: 30 });
    const { tell, end } = begin();
    tell({
      phase: "read",
      code: `/home/someone/${"folder/".repeat(20)}SEP.zip`,
      bytes: 1e9,
      total: 2e9,
      rows: 123_456,
    });
    vi.advanceTimersByTime(2_000);
    expect(screen.screen).toEqual([expect.stringMatching(/^SEP\.zip reading .*…$/)]);
    expect(screen.screen[0].length).toBeLessThan(30);
    // Hiding the cursor (?25l) or turning line wrapping off (?7l) would outlive a process that is killed.
    expect(screen.written).not.toMatch(/\x1b\[\?/);
    end();
  });

  it("has room for rows, bytes, rate and time left in 80 columns: the bar goes first, then most of a long name", () => {
    const screen = terminal({ columns: 80 });
    const { tell, end } = begin();
    const work = { phase: "read", code: "/home/someone/sharadar-equity-prices.zip", total: 400e6 } as const;
    tell({ ...work, bytes: 0, rows: 0 });
    vi.advanceTimersByTime(4_000);
    tell({ ...work, bytes: 395e6, rows: 4_898_816 });
    expect(screen.screen).toEqual([
      expect.stringMatching(/^…rices\.zip reading 98 % · 4,898,816 rows · 395 of 400 MB · 99 MB\/s · 0\.1 s left$/),
    ]);
    end();
  });

  it("is erased before an uncaught error is printed, and when the process ends", () => {
    const screen = terminal();
    for (const event of ["uncaughtExceptionMonitor", "exit"]) {
      const before = process.listenerCount(event);
      const { tell, end } = begin();
      tell({ phase: "rows", code, rows: 5 });
      vi.advanceTimersByTime(700);
      expect(screen.screen).toHaveLength(1);
      expect(process.listenerCount(event)).toBe(before + 1);
      process.listeners(event as "exit").at(-1)?.(0);
      expect(screen.screen).toEqual([]);
      end();
      expect(process.listenerCount(event)).toBe(before);
    }
    expect(process.listenerCount("SIGINT")).toBe(0);
  });

  it("drops tasks without events, and shows them again with their next event", () => {
    const screen = terminal();
    const { tell, end } = begin();
    tell({ phase: "rows", code, rows: 5 });
    vi.advanceTimersByTime(20_000);
    expect(screen.screen).toHaveLength(1);
    vi.advanceTimersByTime(20_000);
    expect(screen.screen).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    tell({ phase: "wait", code, status: "creating", pause: 60_000 });
    vi.advanceTimersByTime(59_000);
    expect(screen.screen).toEqual([expect.stringContaining("again in 1.0 s")]);
    end();
    expect(screen.screen).toEqual([]);
  });

  it("drops a task that was abandoned without an end, while other tasks continue", () => {
    const screen = terminal();
    const [lost, alive] = [begin(), begin()];
    lost.tell({ phase: "rows", code: "A/LOST", rows: 1 });
    alive.tell({ phase: "rows", code: "A/ALIVE", rows: 1 });
    vi.advanceTimersByTime(1_000);
    expect(screen.screen).toEqual([expect.stringMatching(/^A\/LOST .* and 1 more$/)]);
    for (let rows = 2; rows < 40; rows++) {
      alive.tell({ phase: "rows", code: "A/ALIVE", rows });
      vi.advanceTimersByTime(1_000);
    }
    expect(screen.screen).toEqual([expect.stringMatching(/^A\/ALIVE 39 rows · \d+ rows\/s$/)]);
    alive.end();
    expect(screen.screen).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    lost.tell({ phase: "rows", code: "A/LOST", rows: 2 });
    expect(screen.screen).toEqual([expect.stringMatching(/^A\/LOST 2 rows/)]);
    lost.end();
    lost.tell({ phase: "rows", code: "A/LOST", rows: 3 });
    expect(screen.screen).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("releases it when another task ends", () => {
    const screen = terminal();
    const [lost, alive] = [begin(), begin()];
    lost.tell({ phase: "rows", code: "A/LOST", rows: 1 });
    alive.tell({ phase: "wait", code: "A/ALIVE", pause: 50_000 });
    vi.advanceTimersByTime(29_900);
    expect(screen.screen).toHaveLength(1);
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 500);
    alive.end();
    expect(screen.screen).toEqual([]);
  });

  it("leaves the line to a bar of the caller's own", () => {
    const screen = terminal();
    const own = progress("mine");
    own({ rows: 1 });
    const { tell, end } = begin();
    tell({ phase: "rows", code, rows: 5 });
    vi.advanceTimersByTime(2_000);
    expect(screen.screen).toEqual(["mine 1 row"]);
    end();
    own.done();
    expect(screen.screen).toEqual(["mine: 1 row in 2.0 s"]);
  });

  it("loads the library for bars only when a bar shows", () => {
    const screen = terminal();
    const { tell, end } = begin();
    tell({ phase: "rows", code, rows: 5 });
    end();
    expect(screen.written).toBe("");
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
  });
});

describe("in a notebook", () => {
  it("is one display that updates in place and ends in a line", () => {
    const { sent } = fakeTslab();
    const { tell, end } = begin();
    tell({ phase: "download", code, bytes: 0, total: 4_000_000 });
    vi.advanceTimersByTime(500);
    tell({ phase: "download", code, bytes: 1_000_000, total: 4_000_000 });
    vi.advanceTimersByTime(1_500);
    tell({ phase: "download", code, bytes: 4_000_000, total: 4_000_000, done: true });
    tell({ phase: "read", code, rows: 100, bytes: 1, total: 2 });
    tell({ phase: "read", code, rows: 200, bytes: 2, total: 2, done: true });
    end();
    expect(new Set(sent.map(({ transient }) => transient.display_id)).size).toBe(1);
    expect(sent.map(({ update }) => update)).toEqual([false, ...sent.slice(1).map(() => true)]);
    expect(sent.at(-1)?.data["text/plain"]).toBe(
      "MARKET/PRICES: 4.0 MB downloaded in 2.0 s\nMARKET/PRICES: 200 rows in 0.0 s (2 B)",
    );
  });

  it("says of work that failed or was abandoned that it stopped", () => {
    const { sent } = fakeTslab();
    const { tell, end } = begin();
    tell({ phase: "rows", code: "<b>", rows: 5 });
    vi.advanceTimersByTime(800);
    end();
    expect(sent.at(-1)?.data["text/plain"]).toBe("<b>: stopped after 0.8 s, at 5 rows");
    expect(sent.at(-1)?.data["text/html"]).toContain("&lt;b&gt;");
  });

  it("shows works at once as lines of one display, and later ones of the same cell too", () => {
    const { sent, cell } = fakeTslab();
    const run = (name: string) => {
      const work = begin();
      work.tell({ phase: "rows", code: name, rows: 5 });
      return work;
    };
    const done = (name: string, work: ReturnType<typeof run>) => {
      work.tell({ phase: "rows", code: name, rows: 5, done: true });
      work.end();
    };
    const [one, two] = [run("ONE"), run("TWO")];
    vi.advanceTimersByTime(1_000);
    done("TWO", two);
    done("ONE", one);
    const three = run("THREE");
    vi.advanceTimersByTime(1_000);
    done("THREE", three);
    const lines = (at: number) =>
      sent
        .at(at)
        ?.data["text/plain"].split("\n")
        .map((line) => line.split(/:| /)[0]);
    expect(lines(-1)).toEqual(["TWO", "ONE", "THREE"]);
    expect(new Set(sent.map(({ transient }) => transient.display_id)).size).toBe(1);
    cell();
    const four = run("FOUR");
    vi.advanceTimersByTime(1_000);
    done("FOUR", four);
    expect(lines(-1)).toEqual(["FOUR"]);
    expect(new Set(sent.map(({ transient }) => transient.display_id)).size).toBe(2);
  });

  it("does not show later cells in the display of work that was abandoned without an end", () => {
    const { sent, cell } = fakeTslab();
    const lost = begin();
    lost.tell({ phase: "rows", code: "A/LOST", rows: 1 });
    vi.advanceTimersByTime(60_000);
    expect(vi.getTimerCount()).toBe(0);
    const before = sent.length;
    cell();
    const { tell, end } = begin();
    tell({ phase: "rows", code, rows: 5 });
    vi.advanceTimersByTime(1_000);
    end();
    expect(sent.length).toBeGreaterThan(before);
    const later = sent.slice(before);
    expect(later.map(({ transient }) => transient.display_id)).not.toContain(sent[0].transient.display_id);
    expect(later.every(({ data }) => !data["text/plain"].includes("A/LOST"))).toBe(true);
    expect(sent[before - 1].data["text/plain"]).toMatch(/^A\/LOST 1 row/);
  });

  it("shows nothing of short work", () => {
    const { sent } = fakeTslab();
    const { tell, end } = begin();
    tell({ phase: "rows", code, rows: 5 });
    vi.advanceTimersByTime(450);
    tell({ phase: "rows", code, rows: 6, done: true });
    end();
    vi.advanceTimersByTime(5_000);
    expect(sent).toEqual([]);
  });

  it("does not let the work fail where the display fails", async () => {
    const failing = vi.fn(() => Promise.reject(new Error("no front end")));
    (globalThis as { Deno?: unknown }).Deno = { jupyter: { display: failing } };
    const { tell, end } = begin();
    tell({ phase: "rows", code, rows: 5 });
    vi.advanceTimersByTime(1_000);
    end();
    expect(failing).toHaveBeenCalled();
    (globalThis as { Deno?: unknown }).Deno = {
      jupyter: {
        display: () => {
          throw new Error("broken");
        },
      },
    };
    const second = begin();
    second.tell({ phase: "rows", code, rows: 5 });
    vi.advanceTimersByTime(1_000);
    second.end();
    await Promise.resolve();
  });
});

describe("where it should not show", () => {
  const work = () => {
    const { tell, end } = begin();
    tell({ phase: "rows", code, rows: 5 });
    vi.advanceTimersByTime(2_000);
    tell({ phase: "rows", code, rows: 6 });
    end();
  };

  it.each([
    ["the environment variable", { ARROWBOOK_PROGRESS: "off" }],
    ["the environment variable, as a number", { ARROWBOOK_PROGRESS: "0" }],
    ["continuous integration", { ARROWBOOK_PROGRESS: "", CI: "true", NODE_ENV: "" }],
    ["tests", { ARROWBOOK_PROGRESS: "", CI: "", NODE_ENV: "test" }],
    ["node --test", { ARROWBOOK_PROGRESS: "", CI: "", NODE_ENV: "", NODE_TEST_CONTEXT: "child-v8" }],
    ["a terminal that can do nothing", { TERM: "dumb" }],
  ])("shows nothing: %s", (_, env) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const screen = terminal();
    work();
    expect(screen.written).toBe("");
  });

  it("shows where nothing speaks against it", () => {
    for (const name of ["ARROWBOOK_PROGRESS", "NODE_ENV", "NODE_TEST_CONTEXT"]) vi.stubEnv(name, "");
    vi.stubEnv("CI", "false");
    const screen = terminal();
    work();
    expect(screen.written).not.toBe("");
  });

  it("writes nothing where standard error is piped", () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    work();
    expect(write).not.toHaveBeenCalled();
  });

  it("reports to the caller's function alone, and with false to none", () => {
    const screen = terminal();
    const told: string[] = [];
    const { tell, end } = begin(({ phase }) => told.push(phase));
    tell({ phase: "rows", code });
    tell({ phase: "rows", code });
    vi.advanceTimersByTime(2_000);
    tell({ phase: "rows", code, done: true });
    end();
    expect(told).toEqual(["rows", "rows"]);
    const none = begin(false);
    none.tell({ phase: "rows", code });
    vi.advanceTimersByTime(2_000);
    none.tell({ phase: "rows", code });
    none.end();
    expect(screen.written).toBe("");
  });
});

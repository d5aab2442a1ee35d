import type { OnProgress } from "../../columns/io/progress.js";
import { environment } from "../../platform/node/process.js";
import { hasScreen, NO_SCREEN, type ProgressEvent, screenHere, TaskLines } from "./task-lines.js";
import type { ProgressScreen } from "./terminal-screen.js";

/** One task whose progress is reported. */
export interface Followed {
  readonly tell: OnProgress;
  /** Ends it, whether it succeeded, failed or was abandoned. */
  readonly end: () => void;
}

/** Reports a task: to the caller's function, not at all (`false`), or in the bar that long work shows by default. */
export function follow(onProgress: OnProgress | false | undefined): Followed {
  if (onProgress === undefined) return liveWork();
  return { tell: onProgress === false ? () => undefined : throttled(onProgress), end: () => undefined };
}

/** Passes one event per 100 ms; first events, last events, announced pauses and changes of phase always pass. */
function throttled(onProgress: OnProgress): OnProgress {
  let last = Number.NEGATIVE_INFINITY;
  let phase = "";
  return (progress) => {
    const time = performance.now();
    if (!progress.done && progress.pause === undefined && progress.phase === phase && time - last < GAP_MS) return;
    last = time;
    phase = progress.phase;
    onProgress(progress);
  };
}

const SHORT_MS = 500;
/** Milliseconds between two reported events, and two redraws that they cause. */
const GAP_MS = 100;
/** Milliseconds between two redraws without events, which update the elapsed time. */
const TICK_MS = 1_000;
/** Tasks without events for this long are removed from the bar until their next event. */
const INACTIVE_MS = 30_000;
/** The most lines of finished tasks above those of running tasks. */
const MAX_ENDED = 8;

interface Work {
  readonly begun: number;
  readonly tasks: TaskLines;
  heard: number;
  shown: boolean;
}

interface Bar {
  screen: ProgressScreen;
  drawn: number;
  ended: readonly string[];
  /** The bar has no tasks; the next task of the same cell reuses it. */
  idle: boolean;
}

/**
 * The running tasks of this process that report events, oldest first, and the bar that shows them. A timer runs while
 * there are any.
 */
const running = new Set<Work>();
let bar: Bar | undefined;
let timer: NodeJS.Timeout | undefined;

/**
 * Starts a task that appears in the shared bar of this process once it has lasted half a second: in a notebook as a
 * display, which ends with a permanent line, on a terminal as a line that is erased. Shows nothing where standard error
 * is piped, under CI and under tests, unless `ARROWBOOK_PROGRESS` is `on`; `off` disables it.
 */
export function liveWork() {
  if (!isWanted() || !hasScreen()) return { tell: () => undefined, end: () => undefined };
  const begun = performance.now();
  const work: Work = { begun, tasks: new TaskLines(), heard: begun, shown: false };
  let isOver = false;
  running.add(work);
  timer ??= later(SHORT_MS);
  return {
    tell(event: ProgressEvent): void {
      if (isOver) return;
      running.add(work);
      const now = performance.now();
      const isTurn = work.tasks.note(event, now, work.heard === begun ? begun : now);
      work.heard = now;
      if (isTurn || bar === undefined || now - bar.drawn >= GAP_MS) draw(now);
      timer ??= later(TICK_MS);
    },
    end(): void {
      if (isOver) return;
      isOver = true;
      running.delete(work);
      end(work, performance.now());
    },
  };
}

const OFF = /^(off|0|no|false)$/i;

function isWanted(): boolean {
  const { ARROWBOOK_PROGRESS: word, CI, NODE_ENV, NODE_TEST_CONTEXT } = environment;
  if (word) return !OFF.test(word);
  return (!CI || OFF.test(CI)) && NODE_ENV !== "test" && !NODE_TEST_CONTEXT;
}

function isActive({ heard, tasks }: Work, now: number): boolean {
  return now - Math.max(heard, tasks.quietUntil) < INACTIVE_MS;
}

/** Removes tasks without events: a caller that abandons one does not end it. */
function dropInactive(now: number): void {
  for (const work of running) if (!isActive(work, now)) running.delete(work);
}

function draw(now: number): void {
  dropInactive(now);
  const due = [...running].filter((work) => work.shown || (work.tasks.busy && now - work.begun >= SHORT_MS));
  if (due.length === 0) return;
  bar = bar?.idle && bar.screen.cellRuns?.() !== true ? undefined : bar;
  bar ??= { screen: screenHere() ?? NO_SCREEN, drawn: now, ended: [], idle: false };
  bar.idle = false;
  bar.drawn = now;
  for (const work of due) work.shown = true;
  const lines = due.map((work) => work.tasks.lines(now));
  const others = due.length > 1 ? ` · and ${due.length - 1} more` : "";
  const room = (bar.screen.width?.() ?? Number.POSITIVE_INFINITY) - others.length;
  const front = due[0].tasks.front(now, room) + others;
  const { ended } = bar;
  show(bar, (screen) => screen.draw([...ended, ...lines.flat()], front));
}

function end(work: Work, now: number): void {
  work.tasks.finish(now, true);
  if (!work.shown || bar === undefined) return;
  bar.ended = [...bar.ended, ...work.tasks.lines(now)].slice(-MAX_ENDED);
  dropInactive(now);
  if ([...running].some(({ shown }) => shown)) {
    draw(now);
    return;
  }
  rest(bar);
  bar.idle = true;
  clearTimeout(timer);
  timer = running.size > 0 ? later(SHORT_MS) : undefined;
}

/** Releases a terminal; in a notebook, writes the last line of all tasks. */
function rest(bar: Bar): void {
  show(bar, (screen) => screen.end(screen.cellRuns === undefined ? [] : bar.ended));
}

/** Redraws; a screen that fails shows nothing from then on, because no task may fail for its bar. */
function show(bar: Bar, how: (screen: ProgressScreen) => void): void {
  try {
    how(bar.screen);
  } catch {
    bar.screen = NO_SCREEN;
  }
}

function later(ms: number): NodeJS.Timeout {
  return setTimeout(tick, ms).unref();
}

/** Opens the bar for long tasks, updates the elapsed time, and removes silent tasks. */
function tick(): void {
  timer = undefined;
  const now = performance.now();
  draw(now);
  if (bar !== undefined && !bar.idle && ![...running].some(({ shown }) => shown)) {
    // In a notebook the last state stays.
    if (bar.screen.cellRuns === undefined) rest(bar);
    bar.idle = true;
  }
  if (running.size > 0) timer = later(bar === undefined || bar.idle ? SHORT_MS : TICK_MS);
}

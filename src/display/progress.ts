import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { scrub } from "../errors/secrets.js";
import { escapeHtml, plainLine } from "./escape.js";
import { notebookHost } from "./host.js";
import { grouped, sizeText } from "./view.js";

/** What long work tells about itself; everything is optional, counts are totals so far. */
export interface ProgressEvent {
  /** What is being done: `rows`, `download`, … */
  readonly phase?: string;
  /** What it is done to: a code, a file. */
  readonly code?: string;
  readonly rows?: number;
  /** Rows in all, where known. */
  readonly totalRows?: number;
  readonly bytes?: number;
  /** Bytes in all, where known. */
  readonly total?: number;
  /** A word about the state, such as `creating`. */
  readonly status?: string;
  /** Milliseconds until the next step. */
  readonly pause?: number;
  /** The last event of this phase. */
  readonly done?: boolean;
}

/** A live bar: call it with events, or give it as `onProgress`. */
export interface ProgressBar {
  (event: ProgressEvent): void;
  /** Ends the bar; in a notebook its last state stays, in a terminal as one line for each phase. */
  readonly done: () => void;
}

/** Where a bar draws; chosen by {@link progress}. */
export interface ProgressScreen {
  /** Shows the lines that are live, `share` from 0 to 1 of the newest one, where known. */
  readonly draw: (lines: readonly string[], share: number | undefined) => void;
  /** Ends with these lines. */
  readonly end: (lines: readonly string[]) => void;
}

/** Milliseconds between two drawings. */
const GAP_MS = 100;

/**
 * One live bar for long work (paging, export polling, download, reading, landing): rows, bytes, rate and time left. It updates in place
 * in Deno and tslab, is a line on a terminal's standard error, and nothing where that is piped.
 *
 * @example
 * ```ts
 * import { connect, progress } from "arrowbook";
 * const bar = progress();
 * const service = await connect.sample({ onProgress: bar });
 * await service.table("MARKET/PRICES").frame();
 * bar.done();
 * await service.close();
 * ```
 */
export function progress(label?: string, screen: ProgressScreen = screenHere()): ProgressBar {
  const tasks = new Map<string, Task>();
  let drawn = Number.NEGATIVE_INFINITY;
  const lines = (): string[] => [...tasks.values()].map(taskLine);
  const bar = (event: ProgressEvent): void => {
    const now = performance.now();
    const key = `${event.code ?? ""}\n${event.phase ?? ""}`;
    const begun = tasks.get(key);
    const fresh = begun === undefined || begun.ended !== undefined;
    const start = fresh ? now : begun.start;
    const task: Task = { label, event, start, now, ...(event.done && { ended: now }) };
    tasks.delete(key);
    tasks.set(key, task);
    if (tasks.size > MOST_LINES) tasks.delete(tasks.keys().next().value as string);
    if (!fresh && !event.done && now - drawn < GAP_MS) return;
    drawn = now;
    screen.draw(lines(), shareOf(event));
  };
  const done = (): void => {
    const now = performance.now();
    for (const [key, task] of tasks) if (task.ended === undefined) tasks.set(key, { ...task, ended: now });
    screen.end(lines());
    tasks.clear();
  };
  return Object.assign(bar, { done });
}

/** Phases that stand below one another at most. */
const MOST_LINES = 8;

interface Task {
  readonly label: string | undefined;
  readonly event: ProgressEvent;
  readonly start: number;
  readonly now: number;
  readonly ended?: number;
}

function shareOf({ rows, totalRows, bytes, total }: ProgressEvent): number | undefined {
  if (bytes !== undefined && total !== undefined && total > 0) return Math.min(1, bytes / total);
  if (rows !== undefined && totalRows !== undefined && totalRows > 0) return Math.min(1, rows / totalRows);
  return undefined;
}

/** `MARKET/PRICES rows ▕████░░░░▏ 52 % · 31,000 rows · 12 MB of 24 MB · 4.1 MB/s · 3 s left`. */
function taskLine({ label, event, start, now, ended }: Task): string {
  const { phase, code, rows, bytes, total, status, pause } = event;
  const seconds = ((ended ?? now) - start) / 1000;
  const name = [label, code, phase].filter((word) => word !== undefined).join(" ");
  const share = shareOf(event);
  const parts: string[] = [];
  if (rows !== undefined) parts.push(`${grouped(rows)} rows`);
  if (bytes !== undefined)
    parts.push(total === undefined ? sizeText(bytes) : `${sizeText(bytes)} of ${sizeText(total)}`);
  if (status !== undefined) parts.push(status);
  if (pause !== undefined) parts.push(`again in ${secondsText(pause / 1000)}`);
  if (ended !== undefined) parts.push(secondsText(seconds));
  else if (seconds >= 0.5) parts.push(...rateParts(event, share, seconds));
  const bar = share === undefined || ended !== undefined ? "" : `${barText(share)} ${Math.floor(share * 100)} % · `;
  const line = parts.length === 0 ? name : `${name === "" ? "" : `${name} `}${bar}${parts.join(" · ")}`;
  return plainLine(scrub(line));
}

function rateParts({ rows, bytes }: ProgressEvent, share: number | undefined, seconds: number): string[] {
  const parts: string[] = [];
  if (bytes !== undefined && bytes > 0) parts.push(`${sizeText(Math.round(bytes / seconds))}/s`);
  else if (rows !== undefined && rows > 0) parts.push(`${grouped(Math.round(rows / seconds))} rows/s`);
  if (share !== undefined && share > 0 && share < 1) parts.push(`${secondsText((seconds * (1 - share)) / share)} left`);
  return parts;
}

const BAR_WIDTH = 20;

function barText(share: number): string {
  const full = Math.round(share * BAR_WIDTH);
  return `▕${"█".repeat(full)}${"░".repeat(BAR_WIDTH - full)}▏`;
}

/** `0.4 s`, `12 s`, `3 min 5 s`. */
function secondsText(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function screenHere(): ProgressScreen {
  if (notebookHost() !== undefined) return notebookScreen();
  return process.stderr.isTTY ? terminalScreen() : { draw: () => {}, end: () => {} };
}

/** One display that is replaced in place. */
function notebookScreen(): ProgressScreen {
  const id = randomUUID();
  let begun = false;
  const show = (lines: readonly string[]): void => {
    const html = lines.map((line) => `<div><small>${escapeHtml(line)}</small></div>`).join("");
    void notebookHost()?.send({ "text/html": `<div>${html}</div>`, "text/plain": lines.join("\n") }, id, begun);
    begun = true;
  };
  return { draw: show, end: (lines) => (lines.length > 0 ? show(lines) : undefined) };
}

interface SingleBar {
  start(total: number, value: number, payload: object): void;
  update(value: number, payload: object): void;
  stop(): void;
}

/** The newest line, redrawn in place on standard error; loaded on first use. */
function terminalScreen(): ProgressScreen {
  let bar: SingleBar | undefined;
  const open = (): SingleBar => {
    const { SingleBar: Bar } = createRequire(import.meta.url)("cli-progress") as {
      SingleBar: new (options: object) => SingleBar;
    };
    const made = new Bar({
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
      fps: 1000 / GAP_MS,
      format: (_: unknown, __: unknown, payload: { readonly line: string }) => payload.line,
    });
    made.start(1, 0, { line: "" });
    return made;
  };
  return {
    draw: (lines, share) => {
      bar ??= open();
      bar.update(share ?? 0, { line: lines[lines.length - 1] ?? "" });
    },
    end: (lines) => {
      bar?.stop();
      bar = undefined;
      if (lines.length > 0) process.stderr.write(`${lines.join("\n")}\n`);
    },
  };
}

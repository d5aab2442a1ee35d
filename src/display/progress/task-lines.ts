import { scrub } from "../../errors/secrets.js";
import { hasTerminal } from "../../platform/node/process.js";
import { escapeHtml, plainLine } from "../base/escape.js";
import { notebookHost } from "../base/host.js";
import { grouped, sizeText } from "../base/number-text.js";
import { widthOf } from "../base/width.js";
import { type ProgressScreen, terminalScreen } from "./terminal-screen.js";

/** A progress event of long work. All members are optional; counts are running totals. */
export interface ProgressEvent {
  /** The kind of work: `rows`, `download`, … */
  readonly phase?: string;
  /** Its subject: a code, a file. */
  readonly code?: string;
  /** Rows so far. */
  readonly rows?: number;
  /** Total number of rows, where known. */
  readonly totalRows?: number;
  /** Bytes so far. */
  readonly bytes?: number;
  /** Total number of bytes, where known. */
  readonly total?: number;
  /** The name of a state, such as `creating`. */
  readonly status?: string;
  /** Milliseconds until the next step. */
  readonly pause?: number;
  /** The last event of this phase. */
  readonly done?: boolean;
}

interface Task {
  event: ProgressEvent;
  at: number;
  /** Its start, and the counts of its first event: rates are measured from there. */
  readonly start: number;
  readonly first: ProgressEvent;
  readonly firstAt: number;
  ended?: number;
  stopped?: boolean;
}

const MAX_LINES = 8;

/** The tasks of one piece of work (a code in a phase each) as lines of text, the most recently updated one last. */
export class TaskLines {
  readonly #tasks = new Map<string, Task>();
  #last: Task | undefined;

  /** @param label precedes every line */
  constructor(private readonly label?: string) {}

  /**
   * Takes an event; true for the first and the last of a task. `since` is the start of the task, where that was
   * earlier.
   */
  note(event: ProgressEvent, now: number, since = now): boolean {
    const key = `${event.code ?? ""}\n${event.phase ?? ""}`;
    const known = this.#tasks.get(key);
    const begun = known?.ended === undefined ? known : undefined;
    const task = begun ?? { event, at: now, start: since, first: event, firstAt: now };
    task.event = event;
    task.at = now;
    if (event.done) task.ended = now;
    // Most events belong to the same task as the previous one, whose position does not change.
    if (task !== this.#last) {
      this.#tasks.delete(key);
      this.#tasks.set(key, task);
      this.#last = task;
      if (this.#tasks.size > MAX_LINES) this.#tasks.delete(this.#tasks.keys().next().value as string);
    }
    return begun === undefined || event.done === true;
  }

  /** Ends running tasks; `stopped` says so in their lines (a last attempt does not count as stopped). */
  finish(now: number, stopped: boolean): void {
    for (const task of this.#tasks.values()) {
      if (task.ended !== undefined) continue;
      task.ended = now;
      task.stopped = stopped && task.event.phase !== "retry";
    }
  }

  lines(now: number): string[] {
    return [...this.#tasks.values()].map((task) => taskLine(task, now, this.label));
  }

  /** The last line in at most `room` columns, by leaving out the bar and most of a long name. */
  front(now: number, room: number): string {
    const last = this.#last;
    if (last === undefined) return "";
    const line = taskLine(last, now, this.label);
    if (widthOf(line) <= room) return line;
    const bare = taskLine(last, now, this.label, LONGEST_CODE, false);
    const missing = widthOf(bare) - room;
    if (missing <= 0) return bare;
    const code = shortened(last.event.code ?? "", LONGEST_CODE);
    return taskLine(last, now, this.label, Math.max(SHORTEST_CODE, code.length - missing), false);
  }

  get busy(): boolean {
    return [...this.#tasks.values()].some(({ ended }) => ended === undefined);
  }

  /** No event is due before this time: the pause that was announced last. */
  get quietUntil(): number {
    return Math.max(0, ...Array.from(this.#tasks.values(), ({ at, event }) => at + (event.pause ?? 0)));
  }
}

function shareOf({ rows, totalRows, bytes, total }: ProgressEvent): number | undefined {
  if (bytes !== undefined && total !== undefined && total > 0) return Math.min(1, bytes / total);
  if (rows !== undefined && totalRows !== undefined && totalRows > 0) return Math.min(1, rows / totalRows);
  return undefined;
}

/** The phases of this package in running lines; those of a caller are shown as they are. */
const PHASES: Readonly<Record<string, string>> = {
  rows: "",
  read: "reading",
  download: "downloading",
  wait: "export",
  retry: "retrying",
};

/** `MARKET/PRICES downloading ▕█████░░░░░▏ 52 % · 31,000 rows · 12 of 24 MB · 4.1 MB/s · 3.0 s left`. */
function taskLine(task: Task, now: number, label: string | undefined, codeRoom = LONGEST_CODE, withBar = true): string {
  const { event, at, ended } = task;
  if (ended !== undefined) return plainLine(scrub(endedLine(task, ended, label, codeRoom)));
  const { phase, code, rows, bytes, total, status, pause } = event;
  const name = words(label, code && shortened(code, codeRoom), phase && ownPhase(phase));
  const share = shareOf(event);
  const parts: string[] = [];
  if (rows !== undefined) parts.push(rowsText(rows));
  if (bytes !== undefined) parts.push(sizesText(bytes, total));
  if (status !== undefined) parts.push(status);
  if (pause !== undefined) parts.push(`again in ${secondsText(Math.max(0, at + pause - now))}`);
  else parts.push(...rateParts(task, share, now));
  const percent = share === undefined ? "" : `${Math.floor(share * 100)} % · `;
  const bar = share === undefined || !withBar ? "" : `${barText(share)} `;
  const line = parts.length === 0 ? name : `${name === "" ? "" : `${name} `}${bar}${percent}${parts.join(" · ")}`;
  return plainLine(scrub(line));
}

/** `MARKET/PRICES: 32,610 rows in 1.2 s (2.4 MB)`, `MARKET/PRICES: 24 MB downloaded in 3.0 s`. */
function endedLine(
  { event, start, stopped }: Task,
  ended: number,
  label: string | undefined,
  codeRoom: number,
): string {
  const { phase = "", code, rows, bytes, status } = event;
  const own = Object.hasOwn(PHASES, phase);
  const name = words(label, code && shortened(code, codeRoom), own ? undefined : phase);
  const size = bytes === undefined ? undefined : sizeText(bytes);
  const counts = [...(rows === undefined ? [] : [rowsText(rows)]), ...(size === undefined ? [] : [size])];
  const time = secondsText(ended - start);
  const head = name === "" ? "" : `${name}: `;
  if (stopped) return `${head}stopped after ${time}${counts.length === 0 ? "" : `, at ${counts.join(", ")}`}`;
  if (phase === "download" && size !== undefined) return `${head}${size} downloaded in ${time}`;
  if (rows !== undefined) return `${head}${rowsText(rows)} in ${time}${size === undefined ? "" : ` (${size})`}`;
  if (size !== undefined) return `${head}${size} in ${time}`;
  return `${head}${phase === "wait" ? "export " : ""}${words(status ?? "done", "after", time)}`;
}

const words = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== "").join(" ");

const ownPhase = (phase: string): string => (Object.hasOwn(PHASES, phase) ? PHASES[phase] : phase);

const rowsText = (rows: number): string => `${grouped(rows)} row${rows === 1 ? "" : "s"}`;

/** The last part of a long path, truncated at its start, so that the numbers behind it stay visible. */
function shortened(code: string, room: number): string {
  if (code.length <= room) return code;
  const last = code.slice(Math.max(code.lastIndexOf("/"), code.lastIndexOf("\\")) + 1);
  return last.length <= room ? last : `…${last.slice(1 - room)}`;
}

const LONGEST_CODE = 28;
const SHORTEST_CODE = 8;

/** `12 of 24 MB`, `900 kB of 24 MB`, `24 MB` for all of it. */
function sizesText(bytes: number, total: number | undefined): string {
  if (total === undefined || bytes === total) return sizeText(bytes);
  const [done, all] = [sizeText(bytes).split(" "), sizeText(total).split(" ")];
  return `${(done[1] === all[1] ? done.slice(0, 1) : done).join(" ")} of ${all.join(" ")}`;
}

/** Rate and time left, measured from the first event: a resumed download did not fetch its beginning now. */
function rateParts({ event, first, firstAt, start }: Task, share: number | undefined, now: number): string[] {
  const seconds = (now - firstAt) / 1000;
  if (now - start < 500) return [];
  const moreBytes = (event.bytes ?? 0) - (first.bytes ?? 0);
  const moreRows = (event.rows ?? 0) - (first.rows ?? 0);
  if (seconds < 0.1 || (moreBytes <= 0 && moreRows <= 0)) return [secondsText(now - start)];
  const parts: string[] = [];
  if (moreBytes > 0) parts.push(`${sizeText(Math.round(moreBytes / seconds))}/s`);
  else parts.push(`${grouped(Math.round(moreRows / seconds))} rows/s`);
  const done = (share ?? 0) - (shareOf(first) ?? 0);
  if (share !== undefined && done > 0 && share < 1)
    parts.push(`${secondsText((1000 * seconds * (1 - share)) / done)} left`);
  return parts;
}

const BAR_WIDTH = 10;

function barText(share: number): string {
  const full = Math.round(share * BAR_WIDTH);
  return `▕${"█".repeat(full)}${"░".repeat(BAR_WIDTH - full)}▏`;
}

/** `0.4 s`, `12 s`, `3 min 5 s`. */
function secondsText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

export const NO_SCREEN: ProgressScreen = { draw: () => {}, end: () => {} };

/** The notebook whose kernel this process is, else the terminal behind standard error, else undefined. */
export function screenHere(): ProgressScreen | undefined {
  if (notebookHost() !== undefined) return notebookScreen();
  return hasTerminal() ? terminalScreen() : undefined;
}

export function hasScreen(): boolean {
  return notebookHost() !== undefined || hasTerminal();
}

function notebookScreen(): ProgressScreen {
  const id = crypto.randomUUID();
  const cell = notebookHost()?.cell;
  let shown: string | undefined;
  const draw = (lines: readonly string[]): void => {
    const text = lines.join("\n");
    if (text === shown) return;
    const html = lines.map((line) => `<div><small>${escapeHtml(line)}</small></div>`).join("");
    const bundle = { "text/html": `<div>${html}</div>`, "text/plain": text };
    // Not awaited: no task may fail for its bar.
    Promise.resolve(notebookHost()?.send(bundle, id, shown !== undefined)).catch(() => {});
    shown = text;
  };
  return {
    draw,
    end: (lines) => (lines.length > 0 ? draw(lines) : undefined),
    cellRuns: () => cell !== undefined && notebookHost()?.cell === cell,
  };
}

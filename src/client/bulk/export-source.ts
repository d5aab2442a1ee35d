import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { OnProgress } from "../../columns/io/progress.js";
import { atomicFile } from "../../disk/atomic-file.js";
import { digestName, stateFolder } from "../../disk/folders.js";
import { follow } from "../../display/progress/follow.js";
import type { ExportStatus } from "../../document/records.js";
import { DataError, ServiceError, TransportError } from "../../errors/errors.js";
import { FILE_STATUSES, type FileStatus } from "../../spec/vocabulary.js";
import { anySignal, sleep } from "../../transport/timer.js";
import { ask, type FormattedCall } from "../transport/ask.js";
import { accountOf, reportingTo, type Session } from "../transport/session.js";
import { isLocal, type Settings } from "../transport/settings.js";
import type { BulkStatus } from "./archive.js";
import type { Link, LinkSource } from "./download.js";
import type { ExportOptions } from "./export-options.js";

export function exportIdentity(url: string, { codes, parameters, filters }: FormattedCall): string {
  return digestName(url, `export ${JSON.stringify([codes, parameters, filters])}`);
}

/** The protocol of one export (spec 2.8, 3, 4.9): request it, poll with growing pauses, take the link, renew it. */
export class ExportSource implements LinkSource {
  readonly code: string;
  readonly identity: string;
  #counted: Promise<void> | undefined;
  #first: ExportStatus | undefined;
  #held: { readonly answer: ExportStatus; readonly since: number } | undefined;

  /** @param check called before each use, to refuse a call that the service cannot export */
  constructor(
    private readonly session: Session,
    private readonly call: FormattedCall,
    private readonly options: ExportOptions,
    private readonly check: (signal?: AbortSignal) => Promise<unknown>,
  ) {
    this.code = Object.values(call.codes).join("/");
    this.identity = exportIdentity(session.settings.url, call);
  }

  async status(signal?: AbortSignal): Promise<BulkStatus> {
    await this.check(signal);
    return this.#shown(await this.#look(signal, this.session));
  }

  async ready(signal?: AbortSignal, onProgress?: OnProgress | false): Promise<BulkStatus> {
    await this.check(signal);
    return this.#shown(await this.#wait(signal, onProgress));
  }

  /** The link of the last reply if it has not been used, otherwise a new one. */
  async link(signal: AbortSignal | undefined, onProgress?: OnProgress): Promise<Link> {
    await this.check(signal);
    const held = this.#held;
    this.#held = undefined;
    const { file, datatable } = held?.answer ?? (await this.#wait(signal, onProgress));
    const since = held?.since ?? performance.now();
    this.#held = undefined;
    const address = absolute(file.link ?? "", this.session.settings.url);
    const generation = file.data_snapshot_time ?? undefined;
    const refreshed = datatable.last_refreshed_time;
    const isDistinct = generation !== undefined && refreshed !== null && refreshed < generation;
    return { address, keyed: false, generation, isDistinct, since, renewable: true };
  }

  /** Polls the service. The first request counts as an export; later polls do not. */
  async #look(signal: AbortSignal | undefined, session: Session): Promise<ExportStatus> {
    this.#counted ??= countExport(this.session.settings);
    await this.#counted.catch((error) => {
      this.#counted = undefined;
      throw error;
    });
    const { fields } = (await ask(session, "tableExport", this.call, signal)).document;
    const { status } = fields.file;
    if (!(FILE_STATUSES as readonly string[]).includes(status)) {
      const message = `The service reports the unknown status ${JSON.stringify(status)} for the file of ${this.code}.`;
      const hint = `Spec 3 names ${FILE_STATUSES.join(", ")}.`;
      throw new DataError(message, { code: "UnknownStatus", value: status, hint });
    }
    this.#first ??= fields;
    return fields;
  }

  /** Polls until a file is available or the time limit is reached. */
  async #wait(signal?: AbortSignal, onProgress?: OnProgress | false): Promise<ExportStatus> {
    const { settings } = this.session;
    const both = anySignal(signal, settings.signal);
    const { first = 1_000, longest = 60_000 } = this.options.poll ?? {};
    const deadline = performance.now() + settings.timeouts.export;
    const { tell, end } = follow(onProgress ?? settings.onProgress);
    const session = reportingTo(this.session, tell);
    try {
      for (let pause = first; ; pause = Math.min(longest, pause * 2)) {
        const answer = await this.#look(both, session);
        const { status } = answer.file;
        if (this.#isReady(answer)) {
          this.#held = { answer, since: performance.now() };
          tell({ phase: "wait", code: this.code, status, done: true });
          return answer;
        }
        if (performance.now() + pause > deadline) throw pending(this.code, status, settings.timeouts.export);
        tell({ phase: "wait", code: this.code, status, pause });
        await sleep(pause, both);
      }
    } finally {
      end();
    }
  }

  #isReady({ file, datatable }: ExportStatus): boolean {
    if (file.link === null || file.status === "creating") return false;
    if (file.status === "fresh" || this.options.stale !== "wait") return true;
    // A file whose generation started after the refresh known at the first request is new enough, even if the table has
    // been refreshed since. Times are in whole seconds, so that an equal one may be earlier.
    const asked = this.#first?.datatable.last_refreshed_time ?? datatable.last_refreshed_time;
    return asked !== null && file.data_snapshot_time !== null && file.data_snapshot_time > asked;
  }

  /** The reply without its link, which contains a key. */
  #shown(answer: ExportStatus): BulkStatus {
    return {
      status: answer.file.status as FileStatus,
      ready: this.#isReady(answer),
      data_snapshot_time: answer.file.data_snapshot_time,
      last_refreshed_time: answer.datatable.last_refreshed_time,
    };
  }
}

export function absolute(link: string, base: string): string {
  if (URL.canParse(link, `${base}/`)) return new URL(link, `${base}/`).href;
  throw new DataError("The service sent a link that is not a valid address.", { code: "UnexpectedShape" });
}

export function pending(code: string, status: string, ms: number): ServiceError {
  return new ServiceError(`The export of ${code} is still ${JSON.stringify(status)} after ${ms / 60_000} minutes.`, {
    code: "ExportPending",
    value: status,
    hint: 'Try again later; timeouts.export of connect() sets the limit, and stale: "use" accepts an older file.',
    retry: { retryable: true },
  });
}

const HOUR_MS = 60 * 60 * 1000;
/** The times of the exports of this process in the last hour, by service and key. */
export const exportTimes = new Map<string, number[]>();

/**
 * Counts one export against the hourly limit of this key (spec 8: 60), across processes through a small file of times,
 * and throws before sending the request if the limit is reached. Exports from a service on this machine are counted in
 * this process only.
 */
export async function countExport(settings: Settings, now: number = Date.now()): Promise<void> {
  const account = accountOf(settings);
  const limit = settings.limits.exportsPerHour;
  const local = isLocal(settings.url);
  const known = local ? (exportTimes.get(account) ?? []) : await readTimes(account);
  const times = known.filter((time) => time > now - HOUR_MS && time <= now);
  if (times.length >= limit) {
    const after = times[times.length - limit] + HOUR_MS - now;
    const next = `The next export is possible in ${Math.ceil(after / 60_000)} minutes.`;
    throw new TransportError(`The limit of ${limit} exports per hour and key is reached. ${next}`, {
      code: "ExportLimit",
      hint: "Wait, or use an existing export; limits.exportsPerHour of connect() sets another limit.",
      retry: { retryable: false, after },
    });
  }
  exportTimes.set(account, [...times, now]);
  if (!local) await noteTime(account, times, now);
}

const fileOf = (account: string): string => join(stateFolder(), `exports-${account}`);

async function readTimes(account: string): Promise<number[]> {
  try {
    const lines = (await readFile(fileOf(account), "utf8")).split("\n");
    return lines.map(Number).filter((time) => time > 0);
  } catch {
    return exportTimes.get(account) ?? [];
  }
}

/**
 * Appends a line, which is safe across processes; rewrites a long file. In a read-only folder, exports are counted in
 * this process only.
 */
async function noteTime(account: string, times: readonly number[], now: number): Promise<void> {
  try {
    await mkdir(stateFolder(), { recursive: true });
    const path = fileOf(account);
    await appendFile(path, `${now}\n`);
    if ((await readFile(path)).length < 16_384) return;
    await atomicFile(path, (file) => file.writeFile([...times, now].map((time) => `${time}\n`).join("")));
  } catch {
    // Counting continues in memory.
  }
}

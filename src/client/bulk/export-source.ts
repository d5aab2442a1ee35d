import { createHash } from "node:crypto";
import type { OnProgress } from "../../columns/io/progress.js";
import { follow } from "../../display/progress/follow.js";
import type { ExportStatus } from "../../document/records.js";
import { DataError, InputError, ServiceError } from "../../errors/errors.js";
import type { Call } from "../../spec/endpoints.js";
import { FILE_STATUSES, type FileStatus, type Format } from "../../spec/vocabulary.js";
import { ask } from "../transport/ask.js";
import { anySignal, type Session, telling } from "../transport/request.js";
import { sleep } from "../transport/retry.js";
import type { BulkStatus } from "./bulk-status.js";
import type { Link, LinkSource } from "./download.js";
import { countExport } from "./export-quota.js";

/** Spec 4.9's dialog: `use` takes an older file at once while a newer one is made, `wait` waits for the newer one. */
export type Stale = "use" | "wait";

/** Pauses between two looks at an export that is being made, in milliseconds. */
export interface Poll {
  /** The first pause; each one is twice the one before. Default 1,000. */
  readonly first?: number;
  /** The longest pause. Default 60,000. */
  readonly longest?: number;
}

/** How an export is asked for. */
export interface ExportOptions {
  readonly stale?: Stale;
  readonly poll?: Poll;
}

export interface ExportSource extends LinkSource {
  status(signal?: AbortSignal): Promise<BulkStatus>;
  ready(signal?: AbortSignal, onProgress?: OnProgress | false): Promise<BulkStatus>;
}

/**
 * The conversation about one export (spec 2.8, 3, 4.9): ask, look again with growing pauses, take the link, renew it.
 */
export function exportSource(
  session: Session,
  call: Call & { readonly format: Format },
  code: string,
  options: ExportOptions,
): ExportSource {
  const stale = staleOf(options.stale);
  const conversation = new Conversation(session, call, code, stale, options.poll ?? {});
  const question = JSON.stringify([call.codes, call.parameters, call.filters]);
  return {
    code,
    identity: createHash("sha256").update(`${session.settings.url}\nexport ${question}`).digest("hex").slice(0, 32),
    status: async (signal) => conversation.shown(await conversation.look(signal)),
    ready: async (signal, onProgress) => conversation.shown(await conversation.wait(signal, onProgress)),
    link: (signal, onProgress) => conversation.link(signal, onProgress),
  };
}

function staleOf(given: Stale | undefined): Stale {
  if (given === undefined || given === "use" || given === "wait") return given ?? "use";
  throw new InputError(`stale is ${JSON.stringify(given)}.`, {
    code: "BadArgument",
    hint: 'It is "use" (an older file at once) or "wait" (for the newer one) (spec 4.9).',
  });
}

class Conversation {
  #counted: Promise<void> | undefined;
  #first: ExportStatus | undefined;
  #held: { readonly answer: ExportStatus; readonly since: number } | undefined;

  constructor(
    private readonly session: Session,
    private readonly call: Call & { readonly format: Format },
    private readonly code: string,
    private readonly stale: Stale,
    private readonly poll: Poll,
  ) {}

  /** Asks the service. The first question counts as an export; later looks at the same one do not. */
  async look(signal?: AbortSignal, session = this.session): Promise<ExportStatus> {
    this.#counted ??= countExport(this.session.settings);
    await this.#counted.catch((error) => {
      this.#counted = undefined;
      throw error;
    });
    const { fields } = (await ask(session, "tableExport", this.call, signal)).document;
    const { status } = fields.file;
    if (!(FILE_STATUSES as readonly string[]).includes(status)) {
      throw new DataError(`The service says the file of ${this.code} is ${JSON.stringify(status)}.`, {
        code: "UnknownStatus",
        value: status,
        hint: `Spec 3 names ${FILE_STATUSES.join(", ")}.`,
      });
    }
    this.#first ??= fields;
    return fields;
  }

  /** Looks until there is a file to take, or the time for it is over. */
  async wait(signal?: AbortSignal, onProgress?: OnProgress | false): Promise<ExportStatus> {
    const { settings } = this.session;
    const both = anySignal(signal, settings.signal);
    const { first = 1_000, longest = 60_000 } = this.poll;
    const deadline = performance.now() + settings.timeouts.export;
    const { tell, end } = follow(onProgress ?? settings.onProgress);
    const session = telling(this.session, tell);
    try {
      for (let pause = first; ; pause = Math.min(longest, pause * 2)) {
        const answer = await this.look(both, session);
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

  /** The link of the answer in hand if it was not used yet, else of a new one. */
  async link(signal: AbortSignal | undefined, onProgress?: OnProgress): Promise<Link> {
    const held = this.#held;
    this.#held = undefined;
    const answer = held?.answer ?? (await this.wait(signal, onProgress));
    const since = held?.since ?? performance.now();
    this.#held = undefined;
    return {
      address: absolute(answer.file.link ?? "", this.session.settings.url),
      keyed: false,
      generation: answer.file.data_snapshot_time ?? undefined,
      since,
      renewable: true,
    };
  }

  #isReady({ file, datatable }: ExportStatus): boolean {
    if (file.link === null || file.status === "creating") return false;
    if (file.status === "fresh" || this.stale === "use") return true;
    // A file started after the refresh that was there when we first asked is new enough, whatever has come since. Times
    // are in whole seconds, so an equal one may be before it.
    const asked = this.#first?.datatable.last_refreshed_time ?? datatable.last_refreshed_time;
    return asked !== null && file.data_snapshot_time !== null && file.data_snapshot_time > asked;
  }

  /** The answer without its link, which holds a key. */
  shown(answer: ExportStatus): BulkStatus {
    return {
      status: answer.file.status as FileStatus,
      ready: this.#isReady(answer),
      data_snapshot_time: answer.file.data_snapshot_time,
      last_refreshed_time: answer.datatable.last_refreshed_time,
    };
  }
}

function absolute(link: string, base: string): string {
  if (URL.canParse(link, `${base}/`)) return new URL(link, `${base}/`).href;
  throw new DataError("The service sent a link that is not an address.", { code: "UnexpectedShape" });
}

function pending(code: string, status: string, ms: number): ServiceError {
  return new ServiceError(`The export of ${code} is still ${JSON.stringify(status)} after ${ms / 60_000} minutes.`, {
    code: "ExportPending",
    value: status,
    hint: 'Ask again later; timeouts.export of connect() allows longer, and stale: "use" takes an older file where there is one.',
    retry: { retryable: true },
  });
}

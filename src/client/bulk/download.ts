import type { OnProgress } from "../../columns/io/progress.js";
import { acquired } from "../../disk/lock.js";
import { looksLikeFailure } from "../../document/failure.js";
import { DataError, hasCode, isArrowbookError, ServiceError, TransportError } from "../../errors/errors.js";
import { toFileError } from "../../errors/file-error.js";
import { fileState } from "../../format/random-access.js";
import { zipEntry } from "../../format/zip.js";
import { type EntryPlace, type ZipOptions, zipEntryAt } from "../../format/zip-entry.js";
import { isCorrupt } from "../../format/zip-error.js";
import { checkContent, failureBody, truncated } from "../transport/body.js";
import { type Answer, exchange, isOwn } from "../transport/exchange.js";
import { failed, storageFailure } from "../transport/reply-failure.js";
import { type RetryBudget, retryBudget } from "../transport/retry.js";
import type { Session } from "../transport/session.js";
import { anySignal, sleep } from "../transport/timer.js";
import { checkSpace, commit, type Note, type Origin, openPartial, type PartialFile } from "./partial-file.js";

/** The location of a bulk file. */
export interface Link {
  /** May contain a key; never shown or stored. */
  readonly address: string;
  /** Whether the service's own key is added. */
  readonly keyed: boolean;
  /** `data_snapshot_time` of an export: another time means another file. */
  readonly generation?: string;
  /** When the link was received, in monotonic milliseconds. */
  readonly since: number;
  /** Whether a new link can be requested when this one is rejected. */
  readonly renewable: boolean;
}

/** Returns links to one bulk file; every call requests a new one from the service. */
export interface LinkSource {
  /** Digest of the query; equal for the same file of the same service. */
  readonly identity: string;
  /** Code for messages and progress. */
  readonly code: string;
  link(signal: AbortSignal | undefined, onProgress?: OnProgress): Promise<Link>;
}

export interface DownloadOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
  /** Reads the whole archive and verifies its checksums before it gets its final name. */
  readonly verify?: boolean;
  /** Keeps a note beside the file, so that a later call for the same generation reuses it. */
  readonly keep?: boolean;
  /** Neither resumes nor reuses files of an earlier run. */
  readonly fresh?: boolean;
  /** Limits for reading the archive. */
  readonly limits?: ZipOptions;
}

const MAX_RENEWALS = 3;
const MAX_CHANGES = 2;
/** Statuses of an expired link; storage services also use 400. */
const EXPIRED = new Set([401, 403, 404, 410]);
const EXPIRED_IN_STORAGE = new Set([...EXPIRED, 400]);

/**
 * Downloads a bulk file to `target`, which is complete or absent. Resumes a broken download with `Range` if the parts
 * are known to belong together, otherwise restarts; requests a new link when the old one has expired; retries within a
 * budget that progress refills. After an abort or a temporary error, the partial file is kept beside `target` for the
 * next run. One call at a time downloads to `target`; those that wait for it use its file only if the service, asked
 * again, still means that one.
 *
 * @returns the file's single entry; the archive is at its `path`
 */
export async function download(
  session: Session,
  source: LinkSource,
  target: string,
  options: DownloadOptions = {},
): Promise<EntryPlace> {
  const limit = new AbortController();
  const { download: ms } = session.settings.timeouts;
  const timer = setTimeout(() => limit.abort(tooLong(source.code, ms)), Math.min(ms, 2 ** 31 - 1));
  timer.unref();
  const signal = anySignal(options.signal, session.settings.signal, limit.signal);
  try {
    const lock = await acquired(`${target}.lock`, source.identity, signal);
    let note: Note | undefined;
    try {
      const done = await run({ session, source, target, options, signal }, lock.left as Note | undefined);
      note = done.note;
      return done.place;
    } finally {
      await lock.release(note);
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

/** The single entry of an archive on disk. Throws as {@link zipEntry}. */
async function entryPlace(path: string): Promise<EntryPlace> {
  return (await zipEntry(path)).place as EntryPlace;
}

function tooLong(code: string, ms: number): TransportError {
  return new TransportError(`The download of ${code} was not complete within ${ms / 1000} seconds.`, {
    code: "Timeout",
    hint: "Run it again to resume; timeouts.download of connect() allows longer downloads.",
  });
}

interface Job {
  readonly session: Session;
  readonly source: LinkSource;
  readonly target: string;
  readonly options: DownloadOptions;
  readonly signal: AbortSignal | undefined;
}

async function run(job: Job, left: Note | undefined): Promise<{ readonly place: EntryPlace; readonly note: Note }> {
  const { source, target, options } = job;
  const part = await openPartial(target, source.identity, left);
  try {
    if (options.fresh && part.size > 0) await part.restart({ identity: source.identity });
    let place: EntryPlace | undefined;
    for (let rounds = 0; place === undefined; rounds++) {
      await fetchAll(job, part);
      place = await checked(part, options).catch(async (error: unknown) => {
        if (!isCorrupt(error) || rounds > 0) throw error;
        await part.restart({ identity: source.identity });
        return undefined;
      });
    }
    const { size } = part;
    const origin = { ...part.origin, total: size };
    await part.finish();
    await commit(part.path, target, options.keep ? origin : undefined);
    options.onProgress?.({ phase: "download", code: source.code, bytes: size, total: size, done: true });
    const state = await fileState(target);
    return { place: { ...place, path: target, state }, note: { ...origin, modified: state.mtimeMs } };
  } catch (error) {
    const worthless = (error instanceof DataError && error.code !== "UnexpectedContent") || hasCode(error, "DiskFull");
    await (worthless ? part.discard() : part.leave());
    throw error;
  }
}

/** Reads the archive's directory, and its contents if unverified parts were joined or `verify` is set. */
async function checked(part: PartialFile, { verify, limits }: DownloadOptions): Promise<EntryPlace> {
  const place = await entryPlace(part.path);
  if (verify || part.origin.joined) for await (const _ of zipEntryAt(place, limits).chunks());
  return place;
}

/** Fetches until the partial file is complete. */
async function fetchAll(job: Job, part: PartialFile): Promise<void> {
  const { session, source, signal } = job;
  const budget = retryBudget(session.settings.retry);
  const course: Course = { changes: 0, renewals: 0, furthest: part.size, budget };
  let link: Link | undefined;
  for (;;) {
    signal?.throwIfAborted();
    try {
      link = await currentLink(job, link);
      if (await step(job, part, link, course)) return;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (part.size > course.furthest) {
        course.furthest = part.size;
        course.renewals = 0;
        budget.refill();
      }
      const expired = error === course.refusal || (link?.renewable && isExpired(error));
      if (expired && course.renewals++ < MAX_RENEWALS) {
        link = undefined;
        continue;
      }
      const pause = budget.pauseFor(toFileError(job.target, "write", error));
      const status = isArrowbookError(error) ? error.code : undefined;
      job.options.onProgress?.({ phase: "retry", code: source.code, bytes: part.size, status, pause });
      await sleep(pause, signal);
    }
  }
}

interface Course {
  changes: number;
  renewals: number;
  furthest: number;
  /** The last error of a storage host that rejected its link. */
  refusal?: unknown;
  readonly budget: RetryBudget;
}

function isExpired(error: unknown): boolean {
  return error instanceof ServiceError && error.status !== undefined && EXPIRED.has(error.status);
}

/**
 * The current link, or a new one if there is none or it is about to expire (by monotonic time; the reply decides in the
 * end).
 */
async function currentLink(job: Job, link: Link | undefined): Promise<Link> {
  const life = job.session.settings.profile.linkLifetimeMs.value;
  const worn = link?.renewable && performance.now() - link.since > life - Math.min(60_000, life / 10);
  return link && !worn ? link : job.source.link(job.signal, job.options.onProgress);
}

/** Sends one request; returns true when the file is complete. */
async function step(job: Job, part: PartialFile, link: Link, course: Course): Promise<boolean> {
  const { session, source } = job;
  const known = part.origin;
  if (part.size > 0 && known.generation !== link.generation) {
    await changed(part, { identity: source.identity, generation: link.generation }, course, source.code);
  } else if (part.size > 0 && part.size === known.total && link.generation !== undefined) {
    return true;
  }
  const range = await rangeFor(part);
  const answer = await exchange(session.settings, link.address, {
    keyed: link.keyed,
    headers: {
      "accept-encoding": "identity",
      // A cache must not reply with the redirect to the storage that has just rejected it.
      ...(course.refusal !== undefined && { "cache-control": "no-cache" }),
      ...range,
    },
    signal: job.signal,
  });
  try {
    if (await accept(job, part, link, answer, course)) return true;
    await receive(job, part, answer);
  } finally {
    answer.discard();
  }
  const { total } = part.origin;
  if (total !== undefined && part.size < total) throw truncated(answer, `ended after ${part.size} of ${total} bytes`);
  if (total !== undefined && part.size > total) {
    await part.restart({ identity: source.identity, generation: link.generation });
    throw truncated(answer, `has more than the ${total} bytes it declared`);
  }
  return true;
}

const isStrong = (etag: string | undefined): etag is string => etag !== undefined && !etag.startsWith("W/");

/**
 * Headers that request the rest. With a strong ETag the service decides (`If-Range`); with an equal snapshot or weak
 * ETag and an equal length, the archive's checksums decide later; otherwise the file is fetched from the start.
 */
async function rangeFor(part: PartialFile): Promise<Record<string, string>> {
  const { etag, total, generation, identity } = part.origin;
  if (part.size === 0) return {};
  // A complete file of an earlier run: the response headers show whether it is still current.
  if (part.size === total) return {};
  if (total !== undefined && isStrong(etag)) return { range: `bytes=${part.size}-`, "if-range": etag };
  if (total !== undefined && (generation !== undefined || etag !== undefined)) return { range: `bytes=${part.size}-` };
  await part.restart({ identity, generation });
  return {};
}

/** Checks status and headers and prepares the partial file for the body. True if no more data is needed. */
async function accept(job: Job, part: PartialFile, link: Link, answer: Answer, course: Course): Promise<boolean> {
  const { source, session } = job;
  const etag = answer.header("etag") ?? undefined;
  const fresh: Origin = { identity: source.identity, generation: link.generation, etag, total: answer.length };
  const known = part.origin;
  if (answer.status === 200) {
    const same = known.total !== undefined && known.total === answer.length && known.etag === etag;
    if (same && part.size === known.total && etag !== undefined) return true;
    if (part.size > 0 && !same) await changed(part, fresh, course, source.code);
    else await part.restart(fresh);
    if (fresh.total !== undefined) await checkSpace(job.target, fresh.total);
    return false;
  }
  if (answer.status === 206) {
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.header("content-range") ?? "");
    const fits = range && Number(range[1]) === part.size && Number(range[3]) === known.total;
    if (fits && (etag === undefined || etag === known.etag) && !answer.coded) {
      if (!isStrong(known.etag)) await part.note({ ...known, joined: true });
      await checkSpace(job.target, (known.total ?? 0) - part.size);
      return false;
    }
    await changed(part, { identity: source.identity, generation: link.generation }, course, source.code);
    throw truncated(answer, "is a part of another file");
  }
  if (answer.status === 416) {
    await changed(part, { identity: source.identity, generation: link.generation }, course, source.code);
    throw truncated(answer, "has no such part");
  }
  const body = await failureBody(answer);
  if (isOwn(session.settings, answer.url)) throw failed(session, answer, body);
  const error = storageFailure(session.settings, answer, body, source.code);
  if (EXPIRED_IN_STORAGE.has(answer.status)) course.refusal = error;
  throw error;
}

/** The file has been replaced: discards the partial file. Throws after more than two replacements. */
async function changed(part: PartialFile, origin: Origin, course: Course, code: string): Promise<void> {
  await part.restart(origin);
  course.furthest = 0;
  if (++course.changes > MAX_CHANGES) {
    throw new TransportError(`The file of ${code} was replaced ${course.changes} times during its download.`, {
      code: "FileReplaced",
      hint: "The service regenerates it faster than it can be downloaded; try again later.",
      retry: { retryable: false },
    });
  }
}

/** Writes the body to the partial file after checking its first bytes. */
async function receive(job: Job, part: PartialFile, answer: Answer): Promise<void> {
  const { source, options } = job;
  let head: Uint8Array | undefined = part.size === 0 ? new Uint8Array() : undefined;
  for await (const chunk of answer.chunks()) {
    let piece = chunk;
    if (head) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      if (head.length < 4) continue;
      checkStart(job, answer, head);
      piece = head;
      head = undefined;
    }
    await part.append(piece);
    options.onProgress?.({ phase: "download", code: source.code, bytes: part.size, total: part.origin.total });
  }
  if (head) checkStart(job, answer, head);
}

/** Reports an error body with status 200 as the error it contains. */
function checkStart(job: Job, answer: Answer, head: Uint8Array): void {
  if (looksLikeFailure(head)) throw failed(job.session, answer, head);
  checkContent(answer, head, "zip");
}

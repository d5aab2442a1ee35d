import type { OnProgress } from "../../columns/io/progress.js";
import { acquired } from "../../disk/lock.js";
import { looksLikeFailure } from "../../document/failure.js";
import { DataError, hasCode, isArrowbookError, ServiceError, TransportError } from "../../errors/errors.js";
import { toFileError } from "../../errors/file-error.js";
import { type FileState, fileState } from "../../format/random-access.js";
import type { FormatName } from "../../format/signature.js";
import { zipEntry } from "../../format/zip.js";
import { type EntryPlace, type ZipOptions, zipEntryAt } from "../../format/zip-entry.js";
import { isCorrupt } from "../../format/zip-error.js";
import { failureBody, truncated } from "../../transport/body.js";
import { type RetryBudget, retryBudget } from "../../transport/retry.js";
import { anySignal, sleep } from "../../transport/timer.js";
import { checkContent } from "../transport/body.js";
import { keepRun } from "../transport/earlier-runs.js";
import { type Answer, exchange, isOwn } from "../transport/exchange.js";
import { failed, storageFailure } from "../transport/reply-failure.js";
import type { Session } from "../transport/session.js";
import { readThrough } from "./archive-reader.js";
import { checkSpace, commit, type Note, type Origin, openPartial, type PartialFile } from "./partial-file.js";

export interface Link {
  /** May contain a key; never shown or stored. */
  readonly address: string;
  /** Whether the service's own key is added. */
  readonly keyed: boolean;
  /** `data_snapshot_time` of an export: another time means another file. */
  readonly generation?: string;
  /** Whether no other file can be of this time: the table was last refreshed before its second. */
  readonly isDistinct?: boolean;
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

/** How the files of a format are checked. */
export interface FileKind<Place> {
  readonly content: FormatName;
  /** Whether checksums show that parts of two files were joined. */
  readonly hasChecksums: boolean;
  /** Reads what identifies a complete file; with `whole` all of it, so that its checksums are verified. */
  read(path: string, whole: boolean): Promise<Place>;
  /** Whether an error of `read` says that the file is damaged. */
  isDamage(error: unknown): boolean;
}

/** Archives of one CSV file. */
export const zipFile = (limits: ZipOptions = {}): FileKind<EntryPlace> => ({
  content: "zip",
  hasChecksums: true,
  isDamage: isCorrupt,
  async read(path, whole) {
    const place = (await zipEntry(path)).place as EntryPlace;
    if (whole) await readThrough(zipEntryAt(place, limits));
    return place;
  },
});

export interface DownloadOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
  /** Reads the whole archive and verifies its checksums before it gets its final name. */
  readonly verify?: boolean;
  /** Keeps a note beside the file, so that a later call for the same generation reuses it. */
  readonly keep?: boolean;
  /** Neither resumes nor reuses files of an earlier run. */
  readonly fresh?: boolean;
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
 * @returns what the kind of file reads of it, with the path and the state of the file
 */
export async function download<Place extends object>(
  session: Session,
  source: LinkSource,
  target: string,
  kind: FileKind<Place>,
  options: DownloadOptions = {},
): Promise<Place & { readonly path: string; readonly state: FileState }> {
  const limit = new AbortController();
  const { download: ms } = session.settings.timeouts;
  const timer = setTimeout(() => limit.abort(tooLong(source.code, ms)), Math.min(ms, 2 ** 31 - 1));
  timer.unref();
  const signal = anySignal(options.signal, session.settings.signal, limit.signal);
  try {
    const lock = await acquired(`${target}.lock`, source.identity, signal);
    let note: Note | undefined;
    try {
      const done = await run({ session, source, target, kind, options, signal }, lock.left as Note | undefined);
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

function tooLong(code: string, ms: number): TransportError {
  return new TransportError(`The download of ${code} was not complete within ${ms / 1000} seconds.`, {
    code: "Timeout",
    hint: "Run it again to resume; timeouts.download of connect() allows longer downloads.",
  });
}

interface Job<Place = unknown> {
  readonly session: Session;
  readonly source: LinkSource;
  readonly target: string;
  readonly kind: FileKind<Place>;
  readonly options: DownloadOptions;
  readonly signal: AbortSignal | undefined;
}

async function run<Place extends object>(job: Job<Place>, left: Note | undefined) {
  const { source, target, kind, options } = job;
  const part = await openPartial(target, source.identity, left);
  try {
    if (options.fresh && part.size > 0) await part.restart({ identity: source.identity });
    await fetchAll(job, part);
    const read = (): Promise<Place> => kind.read(part.path, options.verify === true || part.origin.joined === true);
    const place = await read().catch(async (error: unknown) => {
      if (!kind.isDamage(error)) throw error;
      await part.restart({ identity: source.identity });
      await fetchAll(job, part);
      return read();
    });
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

interface Course extends Job {
  readonly part: PartialFile;
  readonly budget: RetryBudget;
  /** Times that the file was replaced, and that its link was renewed since the last progress. */
  changes: number;
  renewals: number;
  furthest: number;
  /** The last error of a storage host that rejected its link. */
  refusal?: unknown;
}

async function fetchAll(job: Job, part: PartialFile): Promise<void> {
  const { session, source, signal, options } = job;
  const budget = retryBudget(session.settings.retry);
  const course: Course = { ...job, part, budget, changes: 0, renewals: 0, furthest: part.size };
  let link: Link | undefined;
  for (;;) {
    signal?.throwIfAborted();
    // Its errors come after retries of its own.
    link = await currentLink(job, link);
    try {
      await step(course, link);
      return;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (part.size > course.furthest) {
        course.furthest = part.size;
        course.renewals = 0;
        budget.refill();
      }
      const isRefused = error instanceof ServiceError && EXPIRED.has(error.status ?? 0);
      const expired = error === course.refusal || (link.renewable && isRefused);
      if (expired && course.renewals++ < MAX_RENEWALS) {
        link = undefined;
        continue;
      }
      const pause = budget.pauseFor(toFileError(job.target, "write", error));
      const status = isArrowbookError(error) ? error.code : undefined;
      options.onProgress?.({ phase: "retry", code: source.code, bytes: part.size, status, pause });
      await sleep(pause, signal);
    }
  }
}

/**
 * The current link, or a new one if there is none or it is about to expire (by monotonic time; the reply decides in the
 * end).
 */
async function currentLink({ session, source, signal, options }: Job, link: Link | undefined): Promise<Link> {
  const life = session.settings.profile.linkLifetimeMs.value;
  const worn = link?.renewable && performance.now() - link.since > life - Math.min(60_000, life / 10);
  return link && !worn ? link : source.link(signal, options.onProgress);
}

/** Sends one request; the file is complete unless it throws. */
async function step(course: Course, link: Link): Promise<void> {
  const { session, source, kind, part, signal } = course;
  const fresh: Origin = { identity: source.identity, generation: link.generation };
  if (part.size > 0 && part.origin.generation !== link.generation) await changed(course, fresh);
  else if (part.size > 0 && part.size === part.origin.total && link.isDistinct) return;
  const headers = {
    "accept-encoding": "identity",
    // A cache must not reply with the redirect to the storage that has just rejected it.
    ...(course.refusal !== undefined && { "cache-control": "no-cache" }),
    ...(await rangeFor(part, kind)),
  };
  const answer = await exchange(session.settings, link.address, { keyed: link.keyed, headers, signal });
  try {
    if (await accept(course, fresh, answer)) return;
    await receive(course, answer);
  } finally {
    answer.discard();
  }
  const { total } = part.origin;
  if (total === undefined || part.size === total) return;
  if (part.size < total) throw truncated(answer, `ended after ${part.size} of ${total} bytes`);
  await part.restart(fresh);
  throw truncated(answer, `has more than the ${total} bytes it declared`);
}

const isStrong = (etag: string | undefined): etag is string => etag !== undefined && !etag.startsWith("W/");

/**
 * Headers that request the rest. With a strong ETag the service decides (`If-Range`); with an equal snapshot or weak
 * ETag and an equal length, the file's checksums decide later; otherwise it is fetched from the start.
 */
async function rangeFor(part: PartialFile, { hasChecksums }: FileKind<unknown>): Promise<Record<string, string>> {
  const { etag, total, generation, identity } = part.origin;
  // Of a complete file of an earlier run, the response headers show whether it is still current.
  if (part.size === 0 || part.size === total) return {};
  if (total !== undefined && isStrong(etag)) return { range: `bytes=${part.size}-`, "if-range": etag };
  const isLike = generation !== undefined || etag !== undefined;
  if (hasChecksums && total !== undefined && isLike) return { range: `bytes=${part.size}-` };
  await part.restart({ identity, generation });
  return {};
}

/**
 * Checks status and headers and prepares the partial file for the body. True if no more data is needed.
 *
 * @param fresh the origin of the file behind the link
 */
async function accept(course: Course, fresh: Origin, answer: Answer): Promise<boolean> {
  const { source, session, part, target } = course;
  const etag = answer.header("etag") ?? undefined;
  const known = part.origin;
  if (answer.status === 200) {
    const total = answer.length;
    const same = known.total !== undefined && known.total === total && known.etag === etag;
    if (same && part.size === known.total && etag !== undefined) return true;
    if (part.size > 0 && !same) await changed(course, { ...fresh, etag, total });
    else await part.restart({ ...fresh, etag, total });
    if (total !== undefined) {
      await checkSpace(target, total);
      await keepRun(session, source.identity, { bytes: total });
    }
    return false;
  }
  if (answer.status === 206) {
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.header("content-range") ?? "");
    const fits = range && Number(range[1]) === part.size && Number(range[3]) === known.total;
    if (fits && (etag === undefined || etag === known.etag) && !answer.coded) {
      if (!isStrong(known.etag)) await part.note({ ...known, joined: true });
      await checkSpace(target, (known.total ?? 0) - part.size);
      return false;
    }
  }
  if (answer.status === 206 || answer.status === 416) {
    await changed(course, fresh);
    throw truncated(answer, answer.status === 206 ? "is a part of another file" : "has no such part");
  }
  const body = await failureBody(answer);
  if (isOwn(session.settings, answer.url)) throw failed(session, answer, body);
  const error = storageFailure(session.settings, answer, body, source.code);
  if (EXPIRED_IN_STORAGE.has(answer.status)) course.refusal = error;
  throw error;
}

/** The file has been replaced: discards the partial file. Throws after more than two replacements. */
async function changed(course: Course, origin: Origin): Promise<void> {
  await course.part.restart(origin);
  course.furthest = 0;
  if (++course.changes <= MAX_CHANGES) return;
  const { source, changes } = course;
  throw new TransportError(`The file of ${source.code} was replaced ${changes} times during its download.`, {
    code: "FileReplaced",
    hint: "The service regenerates it faster than it can be downloaded; try again later.",
    retry: { retryable: false },
  });
}

/** Writes the body to the partial file after checking its first bytes. */
async function receive(course: Course, answer: Answer): Promise<void> {
  const { source, options, part } = course;
  let head: Uint8Array | undefined = part.size === 0 ? new Uint8Array() : undefined;
  for await (const chunk of answer.chunks()) {
    let piece = chunk;
    if (head) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      if (head.length < 4) continue;
      checkStart(course, answer, head);
      piece = head;
      head = undefined;
    }
    await part.append(piece);
    options.onProgress?.({ phase: "download", code: source.code, bytes: part.size, total: part.origin.total });
  }
  if (head) checkStart(course, answer, head);
}

/** Reports an error body with status 200 as the error it contains. */
function checkStart(job: Job, answer: Answer, head: Uint8Array): void {
  if (looksLikeFailure(head)) throw failed(job.session, answer, head);
  checkContent(answer, head, job.kind.content);
}

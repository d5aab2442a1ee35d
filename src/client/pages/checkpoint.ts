import { tableFromIPCBytes } from "../../columns/ipc/read/read.js";
import { tableToIPCBytes } from "../../columns/ipc/stream.js";
import { tableOf } from "../../columns/table/conform.js";
import { digestName } from "../../disk/folders.js";
import { acquire, type Holder, type Lock } from "../../disk/lock.js";
import { lookThrough, openRecords, type RecordFile } from "../../disk/record-file.js";
import { FileError } from "../../errors/errors.js";
import { holdsSecret } from "../../errors/secrets.js";
import { version } from "../../package/package-root.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import type { Session } from "../transport/session.js";
import { isLocal } from "../transport/settings.js";
import { afterRefresh, refreshedAt } from "./refreshed-at.js";
import type { Page, PageOptions, TableCall } from "./table-page.js";

/** The pages of a query, each on the disk before the next one is kept. */
export type Checkpoint = Awaited<ReturnType<typeof checkpointOf>>;

export type KeptPages = ReturnType<typeof keptPages>;

const KIND = "arrowbook checkpoint";
const VERSION = 1;

interface Head {
  readonly kind: typeof KIND;
  readonly version: number;
  /** `VENDOR/TABLE`, for messages. */
  readonly code: string;
  /** Digest of the service, the key, the query and the options of reading it. */
  readonly question: string;
  /** When the service last refreshed the table; null if it does not say. */
  readonly refreshed_at: string | null;
}

interface PageNote {
  readonly part: number;
  readonly page: Omit<Page, "batches" | "columns">;
  readonly columns: readonly ColumnSpec[];
}

/**
 * Opens or creates the checkpoint of reading a table and locks it. Pages of another query or of an earlier refresh are
 * forgotten, with a warning that says why; a damaged end is removed and requested again.
 *
 * @throws {FileError} BadCheckpoint for a file that is not a checkpoint, CheckpointInUse while another process holds
 *   it; also as the file system says
 */
export async function tableCheckpoint(
  { settings }: Session,
  table: TableCall,
  parts: readonly (readonly Filter[])[],
  path: string,
  { decimals, onBadCell, onPrecisionLoss, text, signal }: PageOptions,
): Promise<Checkpoint> {
  const { url, apiKey = "", profile } = settings;
  const question = digestName(
    version(),
    // The embedded service has another port each time.
    isLocal(url) ? new URL(url).hostname : url,
    apiKey,
    JSON.stringify([table.code, table.select, table.pageSize, table.format, profile.name, parts]),
    JSON.stringify([decimals, onBadCell, onPrecisionLoss, text]),
  );
  const refreshed_at = await refreshedAt(table);
  await afterRefresh(refreshed_at, signal);
  const head: Head = { kind: KIND, version: VERSION, code: table.code, question, refreshed_at };
  const lock = await acquire(`${path}.lock`, question, (holder) => Promise.reject(busy(path, holder)));
  try {
    return await checkpointOf(path, head, lock, settings.warn);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function checkpointOf(path: string, head: Head, lock: Lock, warn: (message: string) => void) {
  const found = await lookThrough<Head, PageNote>(path);
  if (found === "foreign" || (found?.head !== undefined && found.head.kind !== KIND)) throw notOne(path);
  const why = found && reasonToRestart(found.head, head);
  if (why !== undefined) warn(`${head.code} is read from the start: ${why} (${path}).`);
  else if (found?.isDamaged) warn(`The end of ${path} is damaged: its last pages are requested again.`);
  let file: RecordFile<PageNote> = await openRecords(path, head, why === undefined ? found : undefined);
  let hasWarned = false;
  return {
    /** When the table was last refreshed before the first page was requested; null if the service does not say. */
    refreshed_at: head.refreshed_at,
    /** The pages that an earlier run kept of a part of the query. */
    kept: (part: number) => keptPages(path, file, part),
    async keep(part: number, page: Page): Promise<void> {
      const { batches, columns, ...rest } = page;
      const bytes = batches.length === 0 ? new Uint8Array() : tableToIPCBytes(tableOf(batches));
      const note: PageNote = { part, page: rest, columns };
      const record = file.next(note, bytes);
      if (holdsSecret(record)) {
        if (!hasWarned) warn(`A page of ${head.code} contains the API key and is not kept in ${path}.`);
        hasWarned = true;
      }
      // Pages after one that is missing cannot be resumed from.
      if (hasWarned) return;
      if (!(await lock.isHeld())) throw busy(path);
      await file.append(record, note);
    },
    /** Forgets all pages. */
    async restart(): Promise<void> {
      await file.close();
      file = await openRecords<Head, PageNote>(path, head, undefined);
    },
    async close(): Promise<void> {
      await file.close();
      await lock.release();
    },
  };
}

function reasonToRestart(found: Head | undefined, head: Head): string | undefined {
  if (found === undefined) return "the checkpoint is damaged";
  if (found.version !== VERSION) return "the checkpoint is of another version of arrowbook";
  if (found.question !== head.question) return "the checkpoint is of another query";
  if (head.refreshed_at === null) return "the service does not say when the table was last refreshed";
  if (found.refreshed_at !== head.refreshed_at) return `the table was refreshed at ${head.refreshed_at}`;
  return undefined;
}

function keptPages(path: string, file: RecordFile<PageNote>, part: number) {
  const own = file.records.flatMap(({ note }, index) => (note.part === part ? [{ index, page: note.page }] : []));
  const pageAt = async (index: number): Promise<Page> => {
    const record = await file.read(index);
    if (record === undefined) throw notOne(path);
    const { page, columns } = record.note;
    const batches = record.bytes.length === 0 ? [] : tableFromIPCBytes(record.bytes).batches;
    return { ...page, columns, batches };
  };
  return {
    pages: own.length,
    rows: own.reduce((sum, { page }) => sum + page.rows, 0),
    /** The cursor after the last page; null if the part is complete. */
    next: own.at(-1)?.page.next ?? null,
    /** The schema of the first page with rows. */
    async schema() {
      const first = own.find(({ page }) => page.rows > 0);
      return first && (await pageAt(first.index)).batches[0]?.schema;
    },
    async *read(): AsyncGenerator<Page> {
      for (const { index } of own) yield await pageAt(index);
    },
  };
}

function notOne(path: string): FileError {
  return new FileError(`${path} is not a checkpoint.`, {
    code: "BadCheckpoint",
    hint: "Pass the path of a file that does not exist, or delete this one.",
  });
}

function busy(path: string, holder?: Holder): FileError {
  const by = holder === undefined ? "another process" : `process ${holder.pid} of ${holder.host}`;
  return new FileError(`The checkpoint ${path} is in use by ${by}.`, {
    code: "CheckpointInUse",
    hint: "Wait for it, or pass another path.",
  });
}

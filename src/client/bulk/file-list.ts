import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { declaredBatches } from "../../columns/compute/cast.js";
import type { OnProgress } from "../../columns/io/progress.js";
import { parquetFileBatches, parquetShape } from "../../columns/parquet/read/read.js";
import { digestName } from "../../disk/folders.js";
import { temporaryFolder } from "../../disk/temporary-folder.js";
import { follow } from "../../display/progress/follow.js";
import { isObject } from "../../document/json.js";
import { DataError, hasCode, ServiceError, TransportError } from "../../errors/errors.js";
import { readEnvelope } from "../../format/json-envelope.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Call } from "../../spec/endpoints.js";
import { anySignal, sleep } from "../../transport/timer.js";
import { address } from "../transport/address.js";
import { requestAt } from "../transport/ask.js";
import { isOwn } from "../transport/exchange.js";
import { reportingTo, type Session } from "../transport/session.js";
import type { BulkOptions } from "./bulk-file.js";
import { download, type FileKind, type LinkSource } from "./download.js";
import { absolute, countExport, pending } from "./export-source.js";
import { removeNoted } from "./partial-file.js";

/** A file in the list of a service. */
interface ListedFile {
  /** May contain a key; never shown or stored. */
  readonly url: string;
  /** The last part of its path. */
  readonly name: string;
  readonly bytes?: number;
}

/** Files that are downloaded at once. */
const AT_ONCE = 4;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;

/** The rows of a table in several Parquet files that the service makes (extension `fileLists` of its profile). */
export class FileList {
  readonly #code: string;
  readonly #address: string;

  /** @param columns the columns of the rows, asked for before the list */
  constructor(
    private readonly session: Session,
    call: Pick<Call, "codes" | "parameters" | "filters">,
    private readonly columns: (signal?: AbortSignal) => Promise<readonly ColumnSpec[]>,
  ) {
    const { url, profile } = session.settings;
    this.#code = Object.values(call.codes).join("/");
    this.#address = address({ endpoint: "tableFiles", ...call }, url, profile);
  }

  /** The rows of all files, which are in a temporary folder meanwhile. */
  async *batches(options: BulkOptions = {}): AsyncGenerator<RecordBatch> {
    const { path, release } = await temporaryFolder("bulk");
    try {
      yield* await this.#rows(join(path, "rows"), options);
    } finally {
      await release();
    }
  }

  /** Passes the rows to `use`. The files are beside `path` until it has ended, so that a later call resumes. */
  async readBeside<T>(
    path: string,
    use: (batches: AsyncIterable<RecordBatch>) => Promise<T>,
    options: BulkOptions = {},
  ): Promise<T> {
    const paths: string[] = [];
    const result = await use(await this.#rows(path, options, paths));
    for (const each of paths) await removeNoted(each);
    return result;
  }

  async #rows(path: string, options: BulkOptions, paths: string[] = []): Promise<AsyncGenerator<RecordBatch>> {
    const { settings } = this.session;
    const { tell, end } = follow(options.onProgress ?? settings.onProgress);
    try {
      const columns = await this.columns(options.signal);
      const names = columns.map(({ name }) => name);
      await countExport(settings);
      const files = await this.#list(options.signal, tell);
      paths.push(...files.map((_, i) => `${path}.${i + 1}.download.parquet`));
      await this.#download(files, paths, names, options.signal, tell);
      const batches = paths.length === 0 ? none() : parquetFileBatches(paths, { columns: names, text: "utf8" });
      return declaredBatches(batches, schemaOf(columns, { text: "utf8" }), this.#code);
    } finally {
      end();
    }
  }

  /** Asks until the list is complete. */
  async #list(outer: AbortSignal | undefined, tell: OnProgress): Promise<ListedFile[]> {
    const { settings } = this.session;
    const { pending: waiting, done, failed } = settings.profile.fileLists.value;
    const signal = anySignal(outer, settings.signal);
    const deadline = performance.now() + settings.timeouts.export;
    const session = reportingTo(this.session, tell);
    for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
      const { bytes } = await requestAt(session, this.#address, this.#code, "json", signal);
      const { status, files } = this.#parsed(bytes);
      if (status === done) {
        tell({ phase: "wait", code: this.#code, status, done: true });
        return files;
      }
      const about = `the files of ${this.#code}: ${JSON.stringify(status)}`;
      if (failed.includes(status)) {
        const hint = "Check the filters, or take the table as one file: leave files out.";
        throw new ServiceError(`The service could not make ${about}.`, { code: status, hint });
      }
      if (!waiting.includes(status)) {
        const hint = "The fileLists of the profile have the known ones.";
        throw new DataError(`Unknown status of ${about}.`, { code: "UnknownStatus", value: status, hint });
      }
      if (performance.now() + pause > deadline) throw pending(this.#code, status, settings.timeouts.export);
      tell({ phase: "wait", code: this.#code, status, pause });
      await sleep(pause, signal);
    }
  }

  /** @throws {DataError} UnexpectedShape, BadJson, TruncatedJson */
  #parsed(bytes: Uint8Array): { readonly status: string; readonly files: ListedFile[] } {
    const { bulk_download: list }: { bulk_download?: unknown } = Object(readEnvelope(bytes, []).value);
    const { status, files } = isObject(list) ? list : {};
    if (typeof status !== "string") throw this.#unexpected("its status");
    const listed = (Array.isArray(files) ? files : []).map((file: unknown): ListedFile => {
      const { url, size } = isObject(file) ? file : {};
      if (typeof url !== "string") throw this.#unexpected("the address of a file");
      const link = absolute(url, this.session.settings.url);
      const name = new URL(link).pathname.split("/").at(-1) as string;
      // Some services list a size of 0.
      return { url: link, name, bytes: typeof size === "number" && size > 0 ? size : undefined };
    });
    return { status, files: listed };
  }

  #unexpected(what: string): DataError {
    return new DataError(`The list of the files of ${this.#code} lacks ${what}.`, { code: "UnexpectedShape" });
  }

  /** Downloads the files, a few at once; the first error ends all. */
  async #download(
    files: readonly ListedFile[],
    paths: readonly string[],
    names: readonly string[],
    outer: AbortSignal | undefined,
    tell: OnProgress,
  ): Promise<void> {
    const stop = new AbortController();
    const signal = anySignal(outer, stop.signal);
    const left = files.entries();
    const session = reportingTo(this.session, tell);
    const work = async (): Promise<void> => {
      for (const [i, file] of left) {
        const kind = parquetFile(this.#code, names, file.bytes);
        await download(session, this.#source(files, i), paths[i], kind, { signal, onProgress: tell, keep: true });
      }
    };
    const working = Array.from({ length: AT_ONCE }, () =>
      work().catch((error: unknown) => {
        stop.abort(error);
        throw error;
      }),
    );
    await Promise.allSettled(working);
    outer?.throwIfAborted();
    await Promise.all(working);
  }

  /** @param files the list, which a later one must equal: files of two lists may be of two states of the table */
  #source(files: readonly ListedFile[], i: number): LinkSource {
    const { settings } = this.session;
    const { url, name } = files[i];
    let first: string | undefined = url;
    return {
      identity: digestName(settings.url, `file ${name} of ${this.#address}`),
      code: this.#code,
      link: async (signal, onProgress = () => undefined) => {
        const list = first === undefined ? await this.#list(signal, onProgress) : files;
        first = undefined;
        const isSame = (file: ListedFile, at: number): boolean =>
          file.name === list[at].name && file.bytes === list[at].bytes;
        if (list.length !== files.length || !files.every(isSame)) {
          throw new TransportError(`The service lists other files of ${this.#code} than before.`, {
            code: "FileReplaced",
            hint: "Run it again: the table was refreshed meanwhile.",
            retry: { retryable: false },
          });
        }
        const listed = list[i].url;
        return { address: listed, keyed: isOwn(settings, listed), since: performance.now(), renewable: true };
      },
    };
  }
}

/** A file whose footer and length are checked, and that it has the columns. */
const parquetFile = (code: string, names: readonly string[], bytes: number | undefined): FileKind<object> => ({
  content: "parquet",
  hasChecksums: false,
  isDamage: (error) => hasCode(error, "BadParquet"),
  async read(path) {
    const { size } = await stat(path);
    if (bytes !== undefined && size !== bytes) {
      throw new DataError(`A file of ${code} has ${size} bytes; the service listed ${bytes}.`, { code: "BadParquet" });
    }
    const shape = await parquetShape(path);
    const missing = names.find((name) => !shape.names.includes(name));
    if (missing === undefined) return {};
    throw new DataError(`A file of ${code} lacks the column ${JSON.stringify(missing)}.`, {
      code: "ReplyContradicts",
      column: missing,
    });
  },
});

async function* none(): AsyncGenerator<RecordBatch> {}

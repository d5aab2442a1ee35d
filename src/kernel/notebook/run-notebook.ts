import { writeFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ArrowbookError, InputError, reworded } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { rememberSecret } from "../../errors/secrets.js";
import { findKernel, type KernelSpec, OWN_KERNEL } from "../install/kernelspec.js";
import { type KernelClient, startKernel } from "../protocol/jupyter-client.js";
import type { Message } from "../protocol/message.js";
import { joined, type Notebook, type NotebookCell, type Output, readNotebook, writeNotebook } from "./notebook-file.js";
import { notebookPage, type PageOptions } from "./notebook-page.js";
import { type CellCollector, outputCollector, scrubbedOutput } from "./outputs.js";
import { hasTag, type Parameters, withParameters } from "./parameters.js";

export interface RunOptions {
  /** Name of the kernel; default: that of the notebook's metadata, else arrowbook's. */
  readonly kernel?: string;
  /** Time limit of one cell in milliseconds; default: none. */
  readonly timeout?: number;
  /** Continue after a failed cell; default false. */
  readonly allowErrors?: boolean;
  /** Where to write the executed notebook; default: the same file; false: nowhere. */
  readonly output?: string | false;
  /** A tag of cells that do not run, as those that need a package that is not installed. */
  readonly skipTag?: string;
  /** Values that a cell after the one with the tag `parameters` sets, by name. */
  readonly parameters?: Parameters;
  readonly html?: string;
  /** How the page shows code and charts. */
  readonly page?: Pick<PageOptions, "foldCode" | "interactive">;
  /** Working folder of the kernel; default: that of the notebook, as in Jupyter. */
  readonly folder?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Called before each code cell with its number among all cells, from 1, and the total number of cells. */
  readonly onCell?: (cell: number, cells: number) => void;
}

interface CellFailure {
  /** Number among all cells, counted from 1. */
  readonly cell: number;
  readonly ename: string;
  readonly evalue: string;
}

export interface RunReport {
  readonly notebook: Notebook;
  readonly kernel: string;
  readonly executed: number;
  /** Failed cells; empty unless errors are allowed. */
  readonly failures: readonly CellFailure[];
}

/** Stock tslab drops all requests for 200 ms after an error. */
const DROPPED_AGAIN_MS = 250;
const TRIES = 5;

/**
 * Executes a notebook on a Jupyter kernel from the first cell to the last, without Python, and stores the outputs. The
 * outputs up to an error are also stored and shown in the page.
 *
 * @throws {ArrowbookError} CellFailed with the cell and the message, unless errors are allowed
 */
export async function runNotebook(path: string, options: RunOptions = {}): Promise<RunReport> {
  const stored = await readNotebook(path);
  const key = (options.env ?? process.env)["ARROWBOOK_API_KEY"];
  if (key !== undefined) rememberSecret(key);
  const folder = options.folder ?? dirname(resolve(path));
  const spec = findKernel(options.kernel ?? kernelOf(stored), folder);
  const notebook =
    options.parameters === undefined ? stored : withParameters(stored, options.parameters, spec.language);
  const run = new Run(notebook, spec, options);
  const kernel = await startKernel(spec, { folder, env: kernelEnv(options.env) }, (message) => run.late(message));
  let broken: unknown;
  try {
    await run.all(kernel);
  } catch (error) {
    broken = error;
  } finally {
    await kernel.shutdown();
  }
  const done = run.result(kernel);
  if (options.output !== false) await writeNotebook(options.output ?? path, done);
  if (options.html !== undefined) await writePage(options.html, done, basename(path), options.page);
  if (broken !== undefined) throw broken;
  const [first] = run.failures;
  if (first !== undefined && !options.allowErrors) throw cellFailed(basename(path), done, first);
  return { notebook: done, kernel: spec.name, executed: run.executed, failures: run.failures };
}

/**
 * Progress is not stored by default: its times differ from run to run, and a stored notebook has no viewer while it
 * runs.
 */
function kernelEnv(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return { ...env, ARROWBOOK_PROGRESS: env["ARROWBOOK_PROGRESS"] ?? "off" };
}

class Run {
  readonly failures: CellFailure[] = [];
  executed = 0;
  readonly #newCell = outputCollector();
  readonly #cells: NotebookCell[];
  readonly #outputs = new Map<number, CellCollector>();
  readonly #requests = new Map<string, number>();

  constructor(
    private readonly notebook: Notebook,
    private readonly spec: KernelSpec,
    private readonly options: RunOptions,
  ) {
    this.#cells = notebook.cells.map((cell) =>
      cell.cell_type === "code" ? { ...cell, outputs: [], execution_count: null } : cell,
    );
  }

  async all(kernel: KernelClient): Promise<void> {
    for (const [index, cell] of this.#cells.entries()) {
      if (cell.cell_type !== "code" || joined(cell.source).trim() === "" || this.#isSkipped(cell)) continue;
      this.options.onCell?.(index + 1, this.#cells.length);
      await this.#cell(kernel, index, cell);
      if (this.failures.length > 0 && !this.options.allowErrors) return;
    }
  }

  #isSkipped(cell: NotebookCell): boolean {
    const { skipTag } = this.options;
    return skipTag !== undefined && hasTag(cell, skipTag);
  }

  /** A message that arrived after its cell was done: output of a timer, or the end of a progress bar. */
  late(message: Message): void {
    const index = this.#requests.get(message.parent.msg_id ?? "");
    if (index !== undefined) this.#outputs.get(index)?.add(message);
  }

  result(kernel: KernelClient): Notebook {
    const language = kernel.info["language_info"];
    return {
      ...this.notebook,
      metadata: {
        ...this.notebook.metadata,
        kernelspec: this.notebook.metadata["kernelspec"] ?? {
          name: this.spec.name,
          display_name: this.spec.displayName,
          language: this.spec.language,
        },
        ...(language === undefined ? {} : { language_info: language }),
      },
      cells: this.#cells.map((cell, index) => {
        const outputs = this.#outputs.get(index);
        return outputs === undefined ? cell : { ...cell, outputs: outputs.list().map(scrubbedOutput) };
      }),
    };
  }

  async #cell(kernel: KernelClient, index: number, cell: NotebookCell): Promise<void> {
    const outputs = this.#newCell();
    this.#outputs.set(index, outputs);
    const code = joined(cell.source);
    for (let attempt = 1; ; attempt++) {
      const { reply } = await kernel
        .execute(code, {
          timeout: this.options.timeout,
          onMessage: outputs.add,
          stopOnError: !this.options.allowErrors,
        })
        .catch((error: unknown) => {
          throw atCell(error, index + 1);
        });
      const { status, execution_count } = reply.content;
      if ((status === "abort" || status === "aborted") && attempt < TRIES) {
        await sleep(DROPPED_AGAIN_MS);
        continue;
      }
      this.#requests.set(reply.parent.msg_id ?? "", index);
      this.executed++;
      this.#cells[index] = { ...cell, execution_count: (execution_count as number | undefined) ?? null };
      if (status !== "ok") this.failures.push({ cell: index + 1, ...failureOf(reply.content, outputs.list()) });
      return;
    }
  }
}

function kernelOf(notebook: Notebook): string {
  const spec = notebook.metadata["kernelspec"] as { readonly name?: string } | undefined;
  const language = notebook.metadata["language_info"] as { readonly name?: string } | undefined;
  if (spec?.name !== undefined) return spec.name;
  if (language?.name === undefined || language.name === "typescript") return OWN_KERNEL;
  throw new InputError(`The notebook is in ${language.name} and does not name a kernel.`, {
    code: "UnknownKernel",
    hint: "Pass one with --kernel.",
  });
}

/** The error of a cell; stock tslab sends no fields, only text on stderr. */
function failureOf(reply: Readonly<Record<string, unknown>>, outputs: readonly Output[]): Omit<CellFailure, "cell"> {
  if (typeof reply["ename"] === "string") return { ename: reply["ename"], evalue: String(reply["evalue"] ?? "") };
  const written = outputs.flatMap((output) =>
    output.output_type === "stream" && output.name === "stderr" ? [joined(output.text)] : [],
  );
  const text = written.join("").trim();
  const named = text.match(/^(?:Uncaught )?(\w*(?:Error|Exception))(?: \[\w+\])?: (.*)/m);
  if (named !== null) return { ename: named[1], evalue: named[2] };
  return { ename: "Error", evalue: text.split("\n")[0] || "the kernel gave no message" };
}

function cellFailed(file: string, notebook: Notebook, failure: CellFailure): ArrowbookError {
  const source = joined(notebook.cells[failure.cell - 1].source)
    .trim()
    .split("\n");
  return new ArrowbookError(`Cell ${failure.cell} of ${file} failed: ${failure.ename}: ${failure.evalue}`, {
    code: "CellFailed",
    value: source[0],
    hint: `The cell starts with: ${source[0]}`,
  });
}

function atCell(error: unknown, cell: number): unknown {
  if (!(error instanceof ArrowbookError)) return error;
  return reworded(error, `Cell ${cell}: ${error.message}`, { cause: error });
}

async function writePage(path: string, notebook: Notebook, name: string, options?: PageOptions): Promise<void> {
  const page = await notebookPage(notebook, { ...options, title: name.replace(/\.ipynb$/, "") });
  try {
    await writeFile(path, page);
  } catch (error) {
    throw fileError(path, "write", error, { what: "page" });
  }
}

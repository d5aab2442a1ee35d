import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Command } from "commander";
import { green, hasColors, red } from "../../display/base/paint.js";
import { hasCode } from "../../errors/errors.js";
import { connect, type Frame } from "../../index.js";
import { packageRoot } from "../../package/package-root.js";
import { errorLine } from "../output/report-error.js";

const NOTEBOOK = "notebooks/quickstart.ipynb";
/** The tag of its cells that need Danfo. */
const DANFO_TAG = "danfo";

/**
 * `arrowbook demo`: shows the main features on the embedded service and the sample data, one line per step, and writes
 * a page to open.
 */
export function demoCommand(): Command {
  return new Command("demo")
    .description(
      "show the main features on the sample data: a series, a table, a bulk file, a Danfo frame, a notebook page",
    )
    .option("-o, --output <page>", "the page to write", "quickstart.html")
    .action(async ({ output }: { output: string }) => {
      await demo(output).catch((error: unknown) => {
        if (!(error instanceof StepFailed)) throw error;
        process.exitCode = 1;
      });
    });
}

/** A step that has failed, and said so. */
class StepFailed extends Error {}

async function demo(page: string): Promise<void> {
  const began = performance.now();
  const received = new Map<string, number>();
  const service = await step("start the embedded service on the sample data", async () => {
    const started = await connect.sample({ onProgress: ({ phase, bytes }) => received.set(phase, bytes ?? 0) });
    return [started, started.url];
  });
  const fetched = <Row extends object>(what: string, fetch: () => Promise<Frame<Row>>): Promise<Frame<Row>> =>
    step(what, async () => {
      received.clear();
      const frame = await fetch();
      return [frame, rowsText(frame, received.get("download") ?? received.get("rows") ?? 0)];
    });
  let hasDanfo: boolean;
  try {
    await fetched("fetch a series, monthly, as relative change (MARKET/AAA)", () =>
      service.dataset("MARKET/AAA").column("Close").collapse("monthly").transform("rdiff").frame(),
    );
    const table = await fetched("fetch all pages of a table (MARKET/PRICES)", () =>
      service.table("MARKET/PRICES").frame(),
    );
    await fetched("request an export and read its zip (TRANSPORT/FLIGHTS)", () =>
      service.table("TRANSPORT/FLIGHTS").export().frame(),
    );
    await fetched("read a database's bulk file (MARKET)", () => service.database("MARKET").bulk("full").frame());
    hasDanfo = await optionalStep("convert the table's first 5,000 rows to a Danfo frame", async () => {
      const frame = await table.head(5000).toDanfo();
      return [frame, `${frame.shape[0]} × ${frame.shape[1]}`];
    });
  } finally {
    await service.close();
  }
  const hasPage = await optionalStep(`run ${NOTEBOOK} on the TypeScript kernel`, async () => {
    const { runNotebook } = await import("../../kernel/notebook/run-notebook.js");
    const skipTag = hasDanfo ? undefined : DANFO_TAG;
    const done = await runNotebook(join(packageRoot(), NOTEBOOK), { html: page, output: false, skipTag });
    return [done, `${done.executed} cells on ${done.kernel}${hasDanfo ? "" : ", without Danfo"}, page ${page}`];
  });
  say(`\nDone in ${seconds(began)}.${hasPage ? ` Open ${join(process.cwd(), page)} in a browser.` : ""}`);
  say("Next: `npx arrowbook serve --sample` serves this data; docs/getting-started.md shows the calls one by one.");
}

function rowsText(frame: { numRows: number; columns: readonly unknown[] }, bytes: number): string {
  const rows = `${frame.numRows.toLocaleString("en-US")} rows × ${frame.columns.length} columns`;
  return bytes > 0 ? `${rows}, ${(bytes / 1024).toFixed(0)} KB received` : rows;
}

type Work<T> = () => Promise<readonly [result: T, note: string]>;

function step<T>(what: string, work: Work<T>): Promise<T> {
  return timed(what, work).catch((error: unknown) => Promise.reject(failed(what, error)));
}

/** Whether a step is done; it is skipped if it needs a package that `npm install arrowbook` does not install. */
async function optionalStep(what: string, work: Work<unknown>): Promise<boolean> {
  try {
    await timed(what, work);
    return true;
  } catch (error) {
    if (!hasCode(error, "MissingPackage")) throw failed(what, error);
    say(`- ${what}: skipped. ${firstSentences(errorLine(error))}`);
    return false;
  }
}

/** The message and the command to install the package, without the settings that some machines need. */
const firstSentences = (line: string): string => line.replace(/ Where its native parts .*$/s, "");

async function timed<T>(what: string, work: Work<T>): Promise<T> {
  const began = performance.now();
  const [result, note] = await work();
  say(`${hasColors(process.stdout) ? green("✓") : "✓"} ${what}: ${note}, ${seconds(began)}`);
  return result;
}

function failed(what: string, error: unknown): StepFailed {
  process.stderr.write(`${hasColors(process.stderr) ? red("✗") : "✗"} ${what}: ${errorLine(error)}\n`);
  return new StepFailed(what, { cause: error });
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(2)} s`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

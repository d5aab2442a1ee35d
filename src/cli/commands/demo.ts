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
      process.exitCode = (await demo(output)) ? 0 : 1;
    });
}

async function demo(page: string): Promise<boolean> {
  const began = performance.now();
  const received = new Map<string, number>();
  const service = await step("start the embedded service on the sample data", async () => {
    const started = await connect.sample({ onProgress: ({ phase, bytes }) => received.set(phase, bytes ?? 0) });
    return [started, started.url];
  });
  if (!service) return false;
  let danfo: "done" | "skipped" | "failed";
  try {
    const frames = await fetchAll(service, () => {
      const bytes = received.get("download") ?? received.get("rows") ?? 0;
      received.clear();
      return bytes;
    });
    if (!frames) return false;
    danfo = await optionalStep("convert the table's first 5,000 rows to a Danfo frame", async () => {
      const frame = await frames.table.head(5000).toDanfo();
      return [frame, `${frame.shape[0]} × ${frame.shape[1]}`];
    });
    if (danfo === "failed") return false;
  } finally {
    await service.close();
  }
  const ran = await optionalStep(`run ${NOTEBOOK} on the TypeScript kernel`, async () => {
    const { runNotebook } = await import("../../kernel/notebook/run-notebook.js");
    const skipTag = danfo === "skipped" ? DANFO_TAG : undefined;
    const done = await runNotebook(join(packageRoot(), NOTEBOOK), { html: page, output: false, skipTag });
    const skipped = skipTag === undefined ? "" : ", without Danfo";
    return [done, `${done.executed} cells on ${done.kernel}${skipped}, page ${page}`];
  });
  if (ran === "failed") return false;
  say(`\nDone in ${seconds(began)}.${ran === "skipped" ? "" : ` Open ${join(process.cwd(), page)} in a browser.`}`);
  say("Next: `npx arrowbook serve --sample` serves this data; docs/getting-started.md shows the calls one by one.");
  return true;
}

type Sample = Awaited<ReturnType<typeof connect.sample>>;

async function fetchAll(service: Sample, bytes: () => number): Promise<{ table: Frame } | undefined> {
  const series = await step("fetch a series, monthly, as relative change (MARKET/AAA)", async () => {
    const frame = await service.dataset("MARKET/AAA").column("Close").collapse("monthly").transform("rdiff").frame();
    return [frame, rowsText(frame, bytes())];
  });
  const table =
    series &&
    (await step("fetch all pages of a table (MARKET/PRICES)", async () => {
      const frame = await service.table("MARKET/PRICES").frame();
      return [frame, rowsText(frame, bytes())];
    }));
  const exported =
    table &&
    (await step("request an export and read its zip (TRANSPORT/FLIGHTS)", async () => {
      const frame = await service.table("TRANSPORT/FLIGHTS").export().frame();
      return [frame, rowsText(frame, bytes())];
    }));
  const bulk =
    exported &&
    (await step("read a database's bulk file (MARKET)", async () => {
      const frame = await service.database("MARKET").bulk("full").frame();
      return [frame, rowsText(frame, bytes())];
    }));
  return bulk && table ? { table: table as Frame } : undefined;
}

function rowsText(frame: { numRows: number; columns: readonly unknown[] }, bytes: number): string {
  const rows = `${frame.numRows.toLocaleString("en-US")} rows × ${frame.columns.length} columns`;
  return bytes > 0 ? `${rows}, ${(bytes / 1024).toFixed(0)} KB received` : rows;
}

type Work<T> = () => Promise<readonly [result: T, note: string]>;

async function step<T>(what: string, work: Work<T>): Promise<T | undefined> {
  try {
    return await timed(what, work);
  } catch (error) {
    failed(what, error);
    return undefined;
  }
}

/** A step that is skipped if it needs a package that `npm install arrowbook` does not install. */
async function optionalStep<T>(what: string, work: Work<T>): Promise<"done" | "skipped" | "failed"> {
  try {
    await timed(what, work);
    return "done";
  } catch (error) {
    if (hasCode(error, "MissingPackage")) {
      say(`- ${what}: skipped. ${firstSentences(errorLine(error))}`);
      return "skipped";
    }
    failed(what, error);
    return "failed";
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

function failed(what: string, error: unknown): void {
  process.stderr.write(`${hasColors(process.stderr) ? red("✗") : "✗"} ${what}: ${errorLine(error)}\n`);
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(2)} s`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

import { Command, InvalidArgumentError } from "commander";
import { InputError } from "../../errors/errors.js";

interface RunFlags {
  readonly html?: string;
  readonly foldCode?: boolean;
  readonly interactive?: boolean;
  readonly kernel?: string;
  readonly timeout?: number;
  readonly allowErrors?: boolean;
  readonly parameter?: readonly string[];
  readonly output?: string;
  readonly save: boolean;
  readonly json?: boolean;
}

/** `arrowbook run`: executes a notebook on a Jupyter kernel and stores its outputs. */
export function runCommand(): Command {
  return new Command("run")
    .description("execute a notebook on a Jupyter kernel, without Python, and store its outputs in it")
    .argument("<notebook>", "path of an .ipynb file")
    .option("--html <file>", "also write a self-contained page")
    .option("--fold-code", "with --html: show code folded, to be opened by a click")
    .option("--interactive", "with --html: charts with tooltips, by scripts in the page (about 800 kB)")
    .option("--kernel <name>", "the kernel to use (default: that of the notebook)")
    .option("--timeout <seconds>", "time limit for one cell (default: none)", seconds)
    .option("--allow-errors", "continue after a failed cell")
    .option("-p, --parameter <name=value>", "set what the cell tagged parameters declares; may be repeated", repeated)
    .option("-o, --output <file>", "write the executed notebook to this file instead of in place")
    .option("--no-save", "do not write the notebook")
    .option("--json", "print a JSON report")
    .action(run);
}

async function run(path: string, flags: RunFlags): Promise<void> {
  const { foldCode, interactive } = flags;
  if (flags.html === undefined && (foldCode || interactive)) {
    throw new InputError(`${foldCode ? "--fold-code" : "--interactive"} describes a page, and --html is missing.`, {
      code: "BadArgument",
      hint: "Name the page: --html page.html",
    });
  }
  const { parameterOf } = await import("../../kernel/notebook/parameters.js");
  const { runNotebook } = await import("../../kernel/notebook/run-notebook.js");
  const report = await runNotebook(path, {
    kernel: flags.kernel,
    timeout: flags.timeout === undefined ? undefined : flags.timeout * 1000,
    allowErrors: flags.allowErrors,
    parameters: flags.parameter && Object.fromEntries(flags.parameter.map(parameterOf)),
    html: flags.html,
    page: { foldCode, interactive },
    output: flags.save ? flags.output : false,
    onCell: (cell, cells) => {
      if (process.stderr.isTTY) process.stderr.write(`\r\u001b[Kcell ${cell} of ${cells}`);
    },
  }).finally(() => {
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  });
  const { executed, kernel, failures } = report;
  if (flags.json) {
    console.log(JSON.stringify({ notebook: path, kernel, executed, failures, html: flags.html }));
    return;
  }
  for (const { cell, ename, evalue } of failures) console.error(`cell ${cell}: ${ename}: ${evalue}`);
  console.error(
    `${path}: ${executed} ${executed === 1 ? "cell" : "cells"} on ${kernel}${failures.length > 0 ? `, ${failures.length} failed` : ""}`,
  );
  if (flags.html !== undefined) console.error(`page: ${flags.html}`);
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError("must be a number of seconds above 0.");
  return value;
}

const repeated = (value: string, before: string[] = []): string[] => [...before, value];

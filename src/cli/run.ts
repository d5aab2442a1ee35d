import { Command, InvalidArgumentError } from "commander";

interface RunFlags {
  readonly html?: string;
  readonly kernel?: string;
  readonly timeout?: number;
  readonly allowErrors?: boolean;
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
    .option("--kernel <name>", "the kernel to use (default: the one the notebook names)")
    .option("--timeout <seconds>", "time limit for one cell (default: none)", seconds)
    .option("--allow-errors", "continue after a cell that fails")
    .option("-o, --output <file>", "write the executed notebook there instead of in place")
    .option("--no-save", "write no notebook")
    .option("--json", "print a report for machines")
    .action(run);
}

async function run(path: string, flags: RunFlags): Promise<void> {
  const { runNotebook } = await import("../kernel/notebook/run-notebook.js");
  const report = await runNotebook(path, {
    kernel: flags.kernel,
    timeout: flags.timeout === undefined ? undefined : flags.timeout * 1000,
    allowErrors: flags.allowErrors,
    html: flags.html,
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
  console.error(`${path}: ${executed} cells on ${kernel}${failures.length > 0 ? `, ${failures.length} failed` : ""}`);
  if (flags.html !== undefined) console.error(`page: ${flags.html}`);
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError("must be a number of seconds above 0.");
  return value;
}

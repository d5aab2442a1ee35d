import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { manifest, packTo, root } from "./packed.js";

/*
 * What a newcomer does in the first minutes, from an empty folder: every command is run as it is printed, and
 * first-minutes.md beside this file is what they printed; after a change of the output, `npx vitest run … -u` writes
 * it.
 */
const folder = temporaryFolder("first-minutes");

/** The most lines of a command's output on the page. */
const MOST_LINES = 14;

const readme = readFileSync(join(root, "README.md"), "utf8");
/** The first fenced block of the README after a line. */
const blockAfter = (line: string): string => {
  const found = /```\w+[^\n]*\n([\s\S]*?)```/.exec(readme.slice(readme.indexOf(`\n${line}`)));
  if (!readme.includes(`\n${line}`) || found === null) throw new Error(`The README has no block after ${line}`);
  return found[1];
};

/** Packages come from this repository's own install: the test runs offline. */
const local = (name: string): string => `file:${join(root, "node_modules", name)}`;
const OFFLINE = "--offline --ignore-scripts --no-audit --no-fund";

/** An environment without settings of this machine. */
const env = Object.fromEntries([
  ...Object.entries(process.env).filter(
    ([name]) => !/^(npm_|ARROWBOOK_|JUPYTER_|NODE_OPTIONS|VITEST|FORCE_COLOR)/i.test(name),
  ),
  ["JUPYTER_DATA_DIR", join(folder, "jupyter")],
  ["NO_COLOR", "1"],
]);

interface Done {
  readonly status: number | null;
  readonly text: string;
  readonly seconds: number;
}

/** Runs a line of the shell; `until` ends a command that runs until Ctrl-C. */
function run(line: string, until?: RegExp): Promise<Done> {
  const began = performance.now();
  // The shell is replaced by a command that gets Ctrl-C.
  const child = spawn("sh", ["-c", until === undefined ? line : `exec ${line}`], { cwd: folder, env });
  let text = "";
  let isStopped = false;
  const hear = (more: Buffer): void => {
    text += more;
    if (until?.test(text) !== true || isStopped) return;
    isStopped = true;
    child.kill("SIGINT");
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  return new Promise((resolve) =>
    child.once("close", (status) => resolve({ status, text, seconds: (performance.now() - began) / 1000 })),
  );
}

/** The output without what differs from run to run: paths, times, ports, sizes. */
function normalised(text: string): string {
  const lines = text
    .replaceAll(folder, "~/study")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replace(/added \d+ packages?/g, "added … packages")
    .replace(/\b\d+(\.\d+)? ?(s|ms|m)\b/g, "… s")
    .replace(/[\d,]+ (bytes|KB)/g, "… $1")
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => !/^npm (warn|notice)/.test(line));
  const shown = lines.slice(0, MOST_LINES);
  if (lines.length > MOST_LINES) shown.push(`… ${lines.length - MOST_LINES} more lines`);
  return shown.join("\n").trim();
}

const parts: string[] = [];
const timed: string[] = [];

async function step(title: string, printed: string, actual = printed, until?: RegExp): Promise<void> {
  const { status, text, seconds } = await run(actual, until);
  timed.push(`${seconds.toFixed(1).padStart(6)} s  ${printed}`);
  expect({ command: printed, status, text: status === 0 ? "" : text }).toEqual({
    command: printed,
    status: 0,
    text: "",
  });
  const output = normalised(text);
  parts.push(
    `${title === "" ? "" : `${title}\n\n`}\`\`\`text\n$ ${printed}\n${output === "" ? "" : `${output}\n`}\`\`\`\n`,
  );
}

it("the first minutes of a newcomer are those of the page", async () => {
  const began = performance.now();
  const tarball = packTo(folder);
  const { dependencies, optionalDependencies } = manifest;
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  const overrides = Object.fromEntries(names.map((name) => [name, local(name)]));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "study", private: true, overrides }));

  await step("An empty folder, and the package:", "npm install arrowbook", `npm install ${OFFLINE} '${tarball}'`);
  await step("Does it work? Everything once, offline:", "npx arrowbook demo");

  writeFileSync(join(folder, "prices.mjs"), blockAfter("A script:"));
  await step("The script of the README, saved as `prices.mjs`:", "node prices.mjs");

  const code = blockAfter("A notebook cell");
  await step("The kernel for notebooks:", "npm install tslab@1.0.22", `npm install ${OFFLINE} '${local("tslab")}'`);
  await step("", "npx arrowbook kernel install");
  await step("", "npx arrowbook kernel status");
  const cell = { cell_type: "code", id: "first", metadata: {}, source: code, outputs: [], execution_count: null };
  const kernelspec = { name: "arrowbook", display_name: "TypeScript", language: "typescript" };
  const notebook = { nbformat: 4, nbformat_minor: 5, metadata: { kernelspec }, cells: [cell] };
  writeFileSync(join(folder, "notebook.ipynb"), JSON.stringify(notebook));

  const lines = blockAfter("The shell:").trim().split("\n");
  expect(lines.length).toBeGreaterThan(3);
  const title = "The lines of the README for the shell, with its notebook cell saved as `notebook.ipynb`:";
  for (const [i, line] of lines.entries()) {
    const printed = line.replace(/\s+#.*$/, "");
    const isServer = printed.includes(" serve ");
    // npx does not pass on a signal: the command that it runs gets it.
    const actual = isServer ? printed.replace("npx arrowbook", "node_modules/.bin/arrowbook") : printed;
    await step(i === 0 ? title : "", printed, actual, isServer ? /Ctrl-C stops it/ : undefined);
  }
  const ran = JSON.parse(readFileSync(join(folder, "notebook.ipynb"), "utf8"));
  const types = ran.cells[0].outputs.flatMap(({ data }: { data?: object }) => Object.keys(data ?? {}));
  expect(types).toContain("text/html");
  expect(types.some((type: string) => /image|vega/.test(type))).toBe(true);
  expect(readFileSync(join(folder, "page.html"), "utf8")).toContain('<img src="data:image/png;base64,');

  const total = ((performance.now() - began) / 1000).toFixed(0);
  const record = `${timed.join("\n")}\n${total.padStart(4)} s    in all\n`;
  mkdirSync(join(root, "node_modules", ".scratch"), { recursive: true });
  writeFileSync(join(root, "node_modules", ".scratch", "first-minutes.txt"), record);
  console.log(record);
  const head = `# Your first five minutes

For a first look: every command from an empty folder to an executed notebook, with what it printed.

A test runs these commands offline from the packed files and compares what they print with this page; times, ports and sizes are left out as
\`…\`, and your folder is \`~/study\`. Without the download of the packages, all of it took 43 seconds on two cores (128 under other load). What
next: [getting started](getting-started.md), [tutorial](tutorial.md), [command line](cli.md).
`;
  await expect(`${head}\n${parts.join("\n")}`).toMatchFileSnapshot(join(root, "test", "project", "first-minutes.md"));
}, 600_000);

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { Command, Option } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { complete } from "../../src/cli/completions/complete.js";
import { type Lookup, lookup } from "../../src/cli/completions/lookup.js";
import { completionScript, SHELLS } from "../../src/cli/completions/scripts.js";
import { connect } from "../../src/connect.js";
import { packageRoot } from "../../src/package/package-root.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";

const folder = temporaryFolder("completions");
const bin = join(folder, "bin");
const env = {
  ...process.env,
  PATH: `${bin}${delimiter}${process.env["PATH"]}`,
  ARROWBOOK_URL: "",
  ARROWBOOK_API_KEY: "",
};

beforeAll(() => {
  mkdirSync(bin);
  const command = join(bin, "arrowbook");
  const cli = join(packageRoot(), "dist/esm/cli.js");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
  chmodSync(command, 0o755);
  for (const name of ["prices.parquet", "prices 2.csv", "book.ipynb"]) writeFileSync(join(folder, name), "");
});

const isInstalled = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

/** What a script of a shell prints. */
function shell(name: string, script: string): string {
  const { stdout, stderr } = spawnSync(name, name === "bash" ? ["--norc", "-c", script] : ["-c", script], {
    cwd: folder,
    encoding: "utf8",
    env,
  });
  expect(stderr).toBe("");
  return stdout;
}

/** A line as Bash breaks it, and what its completion function offers. */
const CASES: readonly (readonly [words: string[], offered: string[]])[] = [
  [["ge"], ["get"]],
  [
    ["get", ""],
    ["dataset", "table", "help"],
  ],
  [["get", "table", "MARK"], ["MARKET/PRICES"]],
  [["get", "dataset", "MARKET/A"], ["MARKET/AAA"]],
  [["bulk", "LAB"], ["LABOR"]],
  [["get", "table", "MARKET/PRICES", "--sel"], ["--select"]],
  [
    ["get", "table", "MARKET/PRICES", "--format", ""],
    ["json", "xml", "csv"],
  ],
  [["get", "table", "MARKET/PRICES", "--format", "=", "c"], ["csv"]],
  [["get", "table", "MARKET/PRICES", "--select", "ti"], ["ticker"]],
  [["get", "table", "MARKET/PRICES", "--select", "ticker,cl"], ["ticker,close"]],
  [
    ["get", "table", "MARKET/PRICES", "--where", ""],
    ["ticker=", "date="],
  ],
  [["get", "dataset", "MARKET/AAA", "--column", "C"], ["Close"]],
  [["get", "dataset", "MARKET/AAA", "--collapse", "m"], ["monthly"]],
  [
    ["get", "dataset", "MARKET/AAA", "--order", ""],
    ["desc", "asc"],
  ],
  [
    ["get", "dataset", "MARKET/AAA", "-o", "prices"],
    ["prices 2.csv", "prices.parquet"],
  ],
  [["get", "dataset", "MARKET/AAA", "MARKET/BBB", ""], []],
  [["sql", "'select 1'", "prices.p"], ["prices.parquet"]],
  [["run", "book"], ["book.ipynb"]],
  [["serve", "--profile", "nas"], ["nasdaqDataLink"]],
  [["kernel", "inst"], ["install"]],
  [
    ["completions", ""],
    ["bash", "zsh", "fish"],
  ],
  [["nonsense", ""], []],
];

describe.runIf(isInstalled("bash"))("bash", () => {
  longIt(
    "completes commands, flags, values, codes, columns and files",
    () => {
      const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
      const lines = CASES.map(([words]) => `offer arrowbook ${words.map(quoted).join(" ")}`);
      const script = `source <(arrowbook completions bash)
offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _arrowbook; printf '%s|' "\${COMPREPLY[@]}"; echo; }
${lines.join("\n")}`;
      const offered = shell("bash", script).trimEnd().split("\n");
      const lists = offered.map((line) => line.split("|").filter((word) => word !== ""));
      for (const [i, [words, expected]] of CASES.entries()) {
        expect({ words, offered: [...lists[i]].sort() }).toEqual({ words, offered: [...expected].sort() });
      }
    },
    300_000,
  );

  it("quotes names with spaces", () => {
    mkdirSync(join(folder, "bin2"));
    const command = join(folder, "bin2", "arrowbook");
    writeFileSync(command, "#!/bin/sh\nprintf 'Adj. Close\\ta title\\n:open\\n'\n");
    chmodSync(command, 0o755);
    const script = `${completionScript.bash}
COMP_WORDS=(${command} A); COMP_CWORD=1; _arrowbook; echo "\${COMPREPLY[0]}"
COMP_WORDS=(${command} '"A'); COMP_CWORD=1; _arrowbook; echo "\${COMPREPLY[0]}"`;
    expect(shell("bash", script)).toBe("Adj.\\ Close\nAdj. Close\n");
  });
});

describe.runIf(isInstalled("zsh"))("zsh", () => {
  it("offers names with their descriptions, and files", () => {
    const script = `${completionScript.zsh}
_describe() { print -rl -- "\${(@P)4}" }
_files() { print files }
words=(arrowbook get table MARKET/PRICES --format c); CURRENT=6; _arrowbook
words=(arrowbook ge); CURRENT=2; _arrowbook
words=(arrowbook sql x ''); CURRENT=4; _arrowbook`;
    expect(shell("zsh", script)).toBe("csv:\nget:get the rows of a time series or a table\nfiles\n");
  });
});

describe.runIf(isInstalled("fish"))("fish", () => {
  it("offers names with their descriptions", () => {
    const script = `${completionScript.fish}
complete -C "arrowbook ge"
complete -C "arrowbook get table MARKET/PRICES --select ticker,cl"`;
    expect(shell("fish", script)).toBe("get\tget the rows of a time series or a table\nticker,close\n");
  });
});

it.each(SHELLS)("the script for %s is free of syntax errors, as far as the shell is installed", (name) => {
  const path = join(folder, `script.${name}`);
  writeFileSync(path, completionScript[name]);
  // Every script asks the hidden command, and reads its last line.
  for (const part of [`__complete ${name} --`, "files"]) expect(completionScript[name]).toContain(part);
  if (isInstalled(name)) expect(spawnSync(name, ["-n", path], { encoding: "utf8" }).stderr).toBe("");
});

const nothing: Lookup = { codes: async () => [], columns: async () => [], filters: async () => [] };
const values = async (words: readonly string[], found = nothing): Promise<string[]> => {
  const program = new Command("arrowbook");
  program
    .command("do")
    .argument("<codes...>", "VENDOR/TABLE")
    .option("--again <columns>", "separated by commas")
    .addOption(new Option("-s, --size <size>").choices(["small", "large"]))
    .option("--once");
  return (await complete(program, words, found)).candidates.map(({ value }) => value);
};

describe("the completions", () => {
  const codes: Lookup = { ...nothing, codes: async () => ["A/B", "A/C"], columns: async () => ["x", "y"] };

  it.each([
    [
      ["do", "--"],
      ["--again", "--size", "--once", "--help"],
    ],
    [["do", "--once", "--o"], []],
    [
      ["do", "-s", ""],
      ["small", "large"],
    ],
    [["do", "--size=l"], ["--size=large"]],
    [
      ["do", "-s", "small", "A"],
      ["A/B", "A/C"],
    ],
    [["do", "A/B", "A"], ["A/C"]],
    [["do", "--", "--"], []],
    [["do", "A/B", "--again", "x,"], ["x,y"]],
    [["do", "A/B", "--again", "x", "--ag"], ["--again"]],
    [
      ["do", "--unknown", "A/"],
      ["A/B", "A/C"],
    ],
  ])("of %j are %j", async (words, expected) => {
    expect(await values(words, codes)).toEqual(expected);
  });
});

describe("codes and columns of a service", () => {
  let silent: Server;
  let silentUrl: string;
  let requests = 0;
  beforeAll(async () => {
    // A service that accepts requests and never replies.
    silent = createServer(() => {
      requests++;
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    silent.closeAllConnections();
    silent.close();
  });

  it("come from the service of --url", async () => {
    const service = await connect.sample();
    try {
      const flags = new Map([
        ["url", service.url],
        ["key", "sample"],
      ]);
      // On a busy machine a reply may take longer than a completion waits.
      await expect.poll(() => lookup.codes("table", "", flags), { timeout: 60_000 }).toContain("MARKET/PRICES");
      await expect.poll(() => lookup.filters("MARKET/PRICES", flags), { timeout: 60_000 }).toEqual(["ticker", "date"]);
    } finally {
      await service.close();
    }
  });

  it("are nothing without a reply, after one request and no retry", async () => {
    requests = 0;
    expect(await lookup.codes("table", "", new Map([["url", silentUrl]]))).toEqual([]);
    expect(await lookup.columns("table", "A/B", new Map([["url", silentUrl]]))).toEqual([]);
    expect(requests).toBeLessThanOrEqual(2);
  });

  it.each([
    ["a service that is down", new Map([["url", "http://127.0.0.1:9"]])],
    ["an address that is none", new Map([["url", "nonsense"]])],
    [
      "a key file that does not exist",
      new Map([
        ["url", "http://127.0.0.1:9"],
        ["keyFile", "none"],
      ]),
    ],
  ])("are nothing for %s", async (_, flags) => {
    expect(await lookup.codes("dataset", "", flags)).toEqual([]);
  });
});

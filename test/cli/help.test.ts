import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { main } from "../../src/cli/main.js";
import { errorLine } from "../../src/cli/output/report-error.js";
import { ServiceError } from "../../src/errors/errors.js";
import { ERROR_MEANINGS } from "../../src/spec/error-meanings.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";

const folder = temporaryFolder("help");
const before = process.cwd();
beforeAll(() => process.chdir(folder));
afterAll(() => process.chdir(before));

let printed = "";
let said = "";
beforeEach(() => {
  printed = "";
  said = "";
  vi.stubEnv("ARROWBOOK_URL", undefined);
  vi.stubEnv("ARROWBOOK_API_KEY", undefined);
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += text;
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    said += text;
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
});

const COMMANDS = [
  "",
  "get",
  "get dataset",
  "get table",
  "meta",
  "meta dataset",
  "meta database",
  "meta table",
  "explain",
  "explain dataset",
  "explain table",
  "export",
  "bulk",
  "sync",
  "types",
  "sql",
  "cache",
  "cache list",
  "cache clear",
  "serve",
  "run",
  "kernel",
  "kernel install",
  "kernel uninstall",
  "kernel status",
  "kernel types",
  "demo",
  "completions",
];

const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);

it.each(COMMANDS.flatMap((command) => [40, 80, 200].map((columns) => [command, columns] as const)))(
  "arrowbook %s --help fits %i columns",
  async (command, columns) => {
    const terminal = Object.getOwnPropertyDescriptors(process.stdout);
    Object.defineProperty(process.stdout, "isTTY", { value: true, configurable: true });
    Object.defineProperty(process.stdout, "columns", { value: columns, configurable: true });
    try {
      expect(await main([...words(command), "--help"])).toBe(0);
    } finally {
      for (const name of ["isTTY", "columns"] as const) {
        Reflect.deleteProperty(process.stdout, name);
        if (terminal[name] !== undefined) Object.defineProperty(process.stdout, name, terminal[name]);
      }
    }
    expect(printed).toMatch(/^Usage: arrowbook/);
    expect(printed).not.toMatch(/undefined|\[object|default: \d{5,}/);
    // Lines that are to be copied, and names of flags, are not broken.
    const prose = printed.split("\n").filter((line) => !/^ *(?:-|\S*$|arrowbook |bash|zsh|fish)/.test(line));
    if (columns >= 80) expect(prose.filter((line) => line.length > columns)).toEqual([]);
  },
);

const EXAMPLES = [
  "",
  ...COMMANDS.filter((command) => /^(?:get|meta|explain) \w|^(?:export|bulk|sync|types|sql)$/.test(command)),
];

longIt.each(EXAMPLES)("the examples in arrowbook %s --help run", async (command) => {
  await main([...words(command), "--help"]);
  const lines = [...printed.matchAll(/^(?: {2}|Try it offline: )arrowbook (.+)$/gm)].map(([, line]) => line);
  expect(lines).not.toEqual([]);
  for (const line of lines) expect({ line, status: await main(words(line)), said }).toMatchObject({ status: 0 });
});

it.each([
  ["a wrong table", "get table MARKET/PRICEZ --sample", 1, 'Did you mean "MARKET/PRICES"?'],
  ["a wrong column", "get table MARKET/PRICES --sample --select clos", 1, 'Did you mean "close"?'],
  ["a wrong filter", "get table MARKET/PRICES --sample --where foo=1", 1, 'The columns are "ticker"'],
  [
    "a wrong day",
    "get dataset MARKET/AAA --sample --from 2020-13-01",
    2,
    "option '--from <day>' argument '2020-13-01'",
  ],
  ["no day", "explain dataset MARKET/AAA --sample --to yesterday", 2, "must be a day that exists, YYYY-MM-DD"],
  ["no kind of metadata", "meta MARKET/PRICES", 2, "arrowbook meta dataset, database or table CODE"],
  ["no kind of rows", "get MARKET/PRICES", 2, "arrowbook get dataset or table CODE"],
  ["an unknown flag", "get table MARKET/PRICES --sample --wher a=1", 2, "(Did you mean --where?)"],
  ["an unknown command", "gett", 2, "(Did you mean get?)"],
  ["a missing output", "export MARKET/PRICES --sample", 2, "required option '-o, --output <file>' not specified"],
  ["an unknown ending", "export MARKET/PRICES --sample -o x.foo", 1, "Pass a path that ends in .parquet"],
  ["no address", "get table MARKET/PRICES", 1, "Pass --url or set ARROWBOOK_URL; --sample starts a service"],
  ["a missing file", 'sql "select 1" missing.csv', 1, "it does not exist. Check the path."],
] as const)("%s is one clear message with a remedy", async (_, line, status, remedy) => {
  expect(await main(words(line))).toBe(status);
  expect(said).toContain(remedy);
  expect(said.trim().split("\n").length).toBeLessThanOrEqual(2);
  expect(said).not.toContain("connect()");
});

it.each(Object.entries(ERROR_MEANINGS))("the hint of %s names flags, not arguments of connect()", (code, { hint }) => {
  expect(errorLine(new ServiceError("Refused.", { code, status: 400, hint } as never))).not.toContain("connect()");
});

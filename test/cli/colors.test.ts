import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { inspect, stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { hasColors } from "../../src/display/base/paint.js";
import { Frame } from "../../src/frame/frame.js";
import { needBuild } from "../kernel/build.js";
import { forAll } from "../support/for-all.js";

beforeAll(() => needBuild());

const frame = Frame.fromColumns({ ticker: ["A", "B"], close: [1, 2] });

it("a table on a terminal with colours has a bold header and faint types, and the same text", () => {
  const colored = inspect(frame, { colors: true });
  expect(colored.split("\n").slice(0, 2)).toEqual([
    expect.stringMatching(/^\u001b\[1m.*ticker.*\u001b\[22m$/),
    expect.stringMatching(/^\u001b\[2m.*String.*\u001b\[22m$/),
  ]);
  expect(stripVTControlCharacters(colored)).toBe(inspect(frame));
  expect(inspect(frame)).not.toContain("\u001b");
});

it("colours never change the text, whatever the data are, and none comes from the data", () => {
  const text = fc.oneof(fc.string(), fc.constant("\u001b[31mred\u001b[0m"));
  forAll(100, fc.array(text, { minLength: 1, maxLength: 5 }), text, (values, name) => {
    const table = Frame.fromColumns({ [name || "a"]: values });
    expect(stripVTControlCharacters(inspect(table, { colors: true }))).toBe(inspect(table));
    expect(inspect(table)).not.toContain("\u001b");
  });
});

it("an error is red on a terminal and a card elsewhere", () => {
  let caught: unknown;
  try {
    frame.column("clos" as never);
  } catch (error) {
    caught = error;
  }
  expect(inspect(caught, { colors: true })).toMatch(/^\u001b\[31mInputError UnknownColumn\u001b\[39m\n/);
  expect(inspect(caught)).toMatch(/^InputError UnknownColumn\n/);
});

it("a stream has colours only as a terminal that supports them", () => {
  expect(hasColors({})).toBe(false);
  expect(hasColors({ isTTY: true, hasColors: () => false })).toBe(false);
  expect(hasColors({ isTTY: true, hasColors: () => true })).toBe(true);
});

const cli = fileURLToPath(new URL("../../dist/esm/cli.js", import.meta.url));
const wrongFormat = [cli, "get", "table", "MARKET/PRICES", "-o", "x.nope", "--sample"];

/** Makes pipes of the process look like a terminal. */
const AS_TERMINAL = `data:text/javascript,import { WriteStream } from "node:tty";
for (const stream of [process.stdout, process.stderr]) {
  stream.isTTY = true;
  stream.getColorDepth = WriteStream.prototype.getColorDepth;
  stream.hasColors = WriteStream.prototype.hasColors;
}`;

/** The output of a command on a terminal of its own, from `script` of util-linux; elsewhere on a copy of one. */
const onTerminal = (env: Record<string, string>, isCopy = false): string => {
  const options = {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], TERM: "xterm-256color", ...env },
  } as const;
  const line = [process.execPath, ...wrongFormat].map((argument) => `'${argument}'`).join(" ");
  const real = isCopy ? undefined : spawnSync("script", ["-qec", line, "/dev/null"], options);
  if (real?.status === 1) return real.stdout;
  const copy = spawnSync(process.execPath, ["--import", AS_TERMINAL, ...wrongFormat], options);
  return copy.stdout + copy.stderr;
};

it.each([false, true])(
  "the command colours its errors on a terminal, unless NO_COLOR is set (a copy: %s)",
  (isCopy) => {
    const colored = onTerminal({}, isCopy);
    expect(colored).toContain("\u001b[31marrowbook:\u001b[39m");
    const plain = onTerminal({ NO_COLOR: "1" }, isCopy);
    expect(plain).toContain("arrowbook:");
    expect(plain).not.toContain("\u001b[");
  },
);

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { inspect, stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { hasColors } from "../../src/display/base/paint.js";
import { Frame } from "../../src/frame/frame.js";
import { needBuild } from "../kernel/build.js";

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
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), text, (values, name) => {
      const table = Frame.fromColumns({ [name || "a"]: values });
      expect(stripVTControlCharacters(inspect(table, { colors: true }))).toBe(inspect(table));
      expect(inspect(table)).not.toContain("\u001b");
    }),
  );
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
/** The command on a terminal of its own, as `script` (util-linux) provides it. */
const onTerminal = (env: Record<string, string>): string | undefined => {
  const words = `'${process.execPath}' '${cli}' get table MARKET/PRICES -o x.nope --sample`;
  const done = spawnSync("script", ["-qec", words, "/dev/null"], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], TERM: "xterm-256color", ...env },
  });
  return done.error === undefined ? done.stdout : undefined;
};

it.runIf(onTerminal({}) !== undefined)("the command colours its errors on a terminal, unless NO_COLOR is set", () => {
  expect(onTerminal({})).toContain("\u001b[31marrowbook:\u001b[39m");
  expect(onTerminal({ NO_COLOR: "1" })).not.toContain("\u001b[");
});

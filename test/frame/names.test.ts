import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { cases } from "../cases.js";
import { frameOfIPC } from "../frame-of-ipc.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const path = cases("naughty-strings/blns.json");
const shared = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as string[]) : [];
const own = [
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "",
  " ",
  "a,b",
  'say "hi"',
  "two\nlines",
  "\ufeffmark",
  "1",
  "null",
];
const names = [...new Set([...own, ...shared])];
const columns = names.map((name) => ({ name, type: "String" }));
const frame = Frame.fromRows([Object.fromEntries(names.map((name) => [name, name])), {}], columns);

const cells = (one: Frame): (string | null)[][] => one.columns.map((_, i) => one.column(i).toStrings());
const expected = names.map((name) => [name, null]);

it("says whether the shared strings were there", () => {
  expect(shared.length === 0 || shared.length > 500).toBe(true);
  if (shared.length === 0)
    process.stderr.write("the shared naughty strings are not here: only the own ones were tried\n");
});

it("keeps every name and cell, in memory and in every file", async () => {
  const folder = temporaryFolder("names");
  // The libraries that read Arrow and Parquet drop a byte order mark at the start of a name.
  const unmarked = names.filter((name) => !name.startsWith("\ufeff"));
  const written = frame.select(...unmarked);
  await written.toParquet(join(folder, "a.parquet"));
  await written.toArrow(join(folder, "a.arrow"));
  for (const back of [
    frameOfIPC(written.toIPC()),
    await Frame.fromArrow(join(folder, "a.arrow")),
    await Frame.fromParquet(join(folder, "a.parquet")),
  ]) {
    expect(back.columns.map(({ name }) => name)).toEqual(unmarked);
    expect(cells(back)).toEqual(unmarked.map((name) => [name, null]));
  }
  for (const back of [
    frame,
    frame.sort("__proto__").select(...names),
    Frame.concat([frame.head(1), frame.tail(1)]),
    await Frame.fromCSV(new TextEncoder().encode(frame.toCSV()), { columns }),
  ]) {
    expect(back.columns.map(({ name }) => name)).toEqual(names);
    expect(cells(back)).toEqual(expected);
  }
  await rm(folder, { recursive: true });
});

it("gives rows every name as a member of their own", () => {
  const [first] = frame.rows();
  for (const name of names) expect(Object.getOwnPropertyDescriptor(first, name)?.value).toBe(name);
  expect(Object.keys(first).length).toBe(names.length);
});

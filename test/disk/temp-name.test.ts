import { spawnSync } from "node:child_process";
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAbandoned } from "../../src/disk/abandoned.js";
import { sweepUnfinished } from "../../src/disk/sweep.js";
import { hostDigits, machineOf, parseTempName, type TempKind, tempName } from "../../src/disk/temp-name.js";
import { forAll } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder("temp");

const kinds: readonly TempKind[] = ["download", "file", "note"];
const ended = spawnSync(process.execPath, ["-e", "console.log(process.pid)"], { encoding: "utf8" });
const endedPid = Number(ended.stdout);
const DAY = 24 * 60 * 60 * 1000;

describe("temporary names", () => {
  it("say what they are built from, whatever the target is called", () => {
    forAll(100, fc.string({ minLength: 1 }), fc.constantFrom(...kinds), (target, kind) => {
      expect(parseTempName(tempName(target, kind))).toEqual({ target, kind, host: hostDigits(), pid: process.pid });
    });
  });

  it("can be nested: the note of a partial download", () => {
    const part = tempName("/data/T.zip", "download");
    const note = tempName(`${part}.json`, "note");
    expect(parseTempName(note)?.target).toBe(`${part}.json`);
    expect(parseTempName(part)?.target).toBe("/data/T.zip");
  });

  it("differ at each call", () => {
    expect(new Set(Array.from({ length: 100 }, () => tempName("a", "file"))).size).toBe(100);
  });

  it.each(["data.csv", "data.part", "data.1-2.part", "data.csv.ffffffff-1-00000001.zip", ".ffffffff-1-00000001.new"])(
    "%s is not one",
    (name) => expect(parseTempName(name)).toBeUndefined(),
  );
});

it("containers of one host name, whose processes have the same numbers, are different machines", () => {
  const names = [
    ["pid:[4026531836]", "b"],
    ["pid:[4026532201]", "b"],
    ["pid:[4026532202]", "b"],
    ["pid:[4026532201]", "c"],
  ];
  expect(new Set(names.map(([namespace, boot]) => machineOf("app", namespace, boot))).size).toBe(4);
  // Outside of containers partial files are resumed after a restart of the machine, and where the system says nothing.
  expect(machineOf("app", "pid:[4026531836]", "b")).toBe(machineOf("app", "", ""));
});

it("a file is abandoned when its process has ended, on another machine after a day without a write", () => {
  const of = (host: string, pid: number) => ({ target: "a", kind: "file" as const, host, pid });
  expect(isAbandoned(of(hostDigits(), process.ppid), 0)).toBe(false);
  expect(isAbandoned(of(hostDigits(), endedPid), Date.now())).toBe(true);
  expect(isAbandoned(of("00000000", endedPid), Date.now() - DAY / 2)).toBe(false);
  expect(isAbandoned(of("00000000", process.pid), Date.now() - 2 * DAY)).toBe(true);
});

it("what an ended process of this machine left is removed; files of other machines, targets and kinds stay", async () => {
  const target = join(folder, "T.parquet");
  const named = (host: string, pid: number, random: string, ending = "tmp", name = "T.parquet") =>
    `${name}.${host}-${pid}-0000000${random}.${ending}`;
  const gone = [named(hostDigits(), endedPid, "1"), named("00000000", 1, "2")];
  const kept = [
    named("00000000", endedPid, "3"),
    named(hostDigits(), process.ppid, "4"),
    named(hostDigits(), endedPid, "5", "part"),
    named(hostDigits(), endedPid, "6", "tmp", "Other.parquet"),
    "T.parquet.123.1.part",
  ];
  for (const name of [...gone, ...kept]) writeFileSync(join(folder, name), "");
  const before = new Date(Date.now() - 2 * DAY);
  utimesSync(join(folder, gone[1]), before, before);
  await sweepUnfinished(target);
  expect(readdirSync(folder).sort()).toEqual([...kept].sort());
});

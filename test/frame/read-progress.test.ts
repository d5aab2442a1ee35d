import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { Progress } from "../../src/columns/io/progress.js";
import { Frame } from "../../src/frame/frame.js";
import { onThreads } from "../divided.js";
import { needBuild } from "../kernel/build.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { zipBytes } from "../zip/archive.js";

const folder = temporaryFolder("watched");
beforeAll(needBuild);

const columns = columnSpecs({ name: "String", close: "double" });
const text = `name,close\n${Array.from({ length: 700_000 }, (_, i) => `row ${i},${i}.5\n`).join("")}`;
const path = join(folder, "rows.csv");
writeFileSync(path, text);

const told = async (read: (onProgress: (progress: Progress) => void) => Promise<Frame>): Promise<Progress[]> => {
  const events: Progress[] = [];
  const frame = await read((event) => void events.push(event));
  expect(frame.numRows).toBe(700_000);
  return events;
};

const checked = (events: readonly Progress[], code: string): void => {
  const size = statSync(path).size;
  expect(events.length).toBeGreaterThan(1);
  expect(events.every((event) => event.phase === "read" && event.code === code && event.total === size)).toBe(true);
  const bytes = events.map((event) => event.bytes as number);
  expect([...bytes].sort((a, b) => a - b)).toEqual(bytes);
  expect(events.at(-1)).toEqual({ phase: "read", code, bytes: size, total: size, done: true });
};

it.each([1, 2])("a CSV file reports how far its reading has come, on %i threads", async (threads) => {
  checked(await onThreads(threads, () => told((onProgress) => Frame.fromCSV(path, { columns, onProgress }))), path);
});

it.each([1, 2])("so does an archive, on %i threads", async (threads) => {
  const zip = join(folder, "rows.zip");
  writeFileSync(zip, zipBytes([{ name: "rows.csv", data: text }]));
  checked(await onThreads(threads, () => told((onProgress) => Frame.fromZip(zip, { columns, onProgress }))), zip);
  const quiet = await onThreads(threads, () => Frame.fromZip(zip, { columns, onProgress: false }));
  expect(quiet.numRows).toBe(700_000);
});

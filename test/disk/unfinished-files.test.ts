import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { builtLibrary } from "../faults/built-library.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const root = temporaryFolder("unfinished");
let library = "";
beforeAll(async () => {
  library = await builtLibrary();
  // No file gets its final name, however fast it is written.
  writeFileSync(
    join(library, "held.mjs"),
    `import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
export function holdRenames() {
  fs.rename = () => new Promise(() => {});
  syncBuiltinESMExports();
}`,
  );
  writeFileSync(
    join(library, "cli.mjs"),
    `import { DuckDBConnection } from "@duckdb/node-api";
import { exitWith } from "./exit-with.mjs";
import { main } from "./main.mjs";
const { stream } = DuckDBConnection.prototype;
DuckDBConnection.prototype.stream = function (...statement) {
  const result = stream.apply(this, statement);
  process.send("running");
  return result;
};
exitWith(main(process.argv.slice(2)));`,
  );
});
afterAll(() => rmSync(library, { recursive: true, force: true }));

let count = 0;
function newPlace(): string {
  const place = join(root, String(count++));
  mkdirSync(place);
  return place;
}

const ended = async (child: ChildProcess): Promise<number | string> => {
  const [code, signal] = await once(child, "close");
  return code ?? signal;
};

it("process.exit() within the writing of a file leaves no part of it", async () => {
  const place = newPlace();
  const script = join(library, "exits.mjs");
  writeFileSync(
    script,
    `import { readdirSync } from "node:fs";
import { holdRenames } from "./held.mjs";
import { Frame } from "./index.mjs";
holdRenames();
const frame = Frame.fromColumns({ n: Float64Array.from({ length: 200_000 }, (_, i) => i) });
void frame.toCSV(process.argv[2] + "/n.csv");
void frame.toParquet(process.argv[2] + "/n.parquet");
while (readdirSync(process.argv[2]).length < 2) await new Promise((done) => setTimeout(done, 1));
console.log("writing");
process.exit(3);`,
  );
  const child = spawn(process.execPath, [script, place], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (text) => {
    out += text;
  });
  expect(await ended(child)).toBe(3);
  expect(out).toBe("writing\n");
  expect(readdirSync(place)).toEqual([]);
});

it("what a killed process left is removed by the next one that writes to the folder", async () => {
  const place = newPlace();
  const script = join(library, "killed.mjs");
  writeFileSync(
    script,
    `import { readdirSync } from "node:fs";
import { holdRenames } from "./held.mjs";
import { Frame } from "./index.mjs";
const [place, last] = process.argv.slice(2);
if (last === "kill") holdRenames();
const frame = Frame.fromColumns({ n: Float64Array.from({ length: 200_000 }, (_, i) => i) });
const written = frame.toCSV(place + "/n.csv");
if (last === "kill") {
  while (readdirSync(place).length === 0) await new Promise((done) => setTimeout(done, 1));
  process.kill(process.pid, "SIGKILL");
}
await written;
await frame.toParquet(place + "/n.parquet");`,
  );
  const run = (...words: string[]) => ended(spawn(process.execPath, [script, place, ...words], { stdio: "inherit" }));
  expect(await run("kill")).toBe("SIGKILL");
  const left = readdirSync(place);
  expect(left).toEqual([expect.stringMatching(/^n\.csv\..*\.tmp$/)]);
  writeFileSync(join(place, left[0].replace("n.csv", "other.csv")), "");
  writeFileSync(join(place, "notes.tmp"), "");
  expect(await run()).toBe(0);
  expect(readdirSync(place).sort()).toEqual(["n.csv", "n.parquet", "notes.tmp"]);
});

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s within a statement of arrowbook sql exits with %d and writes no file", async (signal, status) => {
  const place = newPlace();
  const source = join(root, `numbers-${signal}.csv`);
  writeFileSync(source, "n\n1\n");
  const text = "select count(*) as n from range(200000) a(i), range(200000) b(j) where (i * j) % 7 = 3";
  const words = [join(library, "cli.mjs"), "sql", text, `numbers=${source}`, "-o", join(place, "numbers.csv")];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "inherit", "pipe", "ipc"] });
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  expect(await once(child, "message")).toContain("running");
  child.kill(signal);
  expect(await ended(child)).toBe(status);
  expect(said).toBe("arrowbook: Stopped. Nothing was written; run it again.\n");
  expect(readdirSync(place)).toEqual([]);
});

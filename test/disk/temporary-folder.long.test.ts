import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hostDigits } from "../../src/disk/temp-name.js";
import { builtLibrary } from "../faults/built-library.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const root = temporaryFolder("folders");
let library = "";
beforeAll(async () => {
  library = await builtLibrary();
});
afterAll(() => rmSync(library, { recursive: true, force: true }));

let count = 0;
const newPlace = (): string => {
  const place = join(root, String(count++));
  mkdirSync(place);
  return place;
};

/** Runs a script with its own folder for temporary files. */
async function run(place: string, script: string): Promise<number | string> {
  const path = join(library, `temporary-${count}.mjs`);
  writeFileSync(path, `import { connect } from "./index.mjs";\n${script}`);
  const child = spawn(process.execPath, [path], { stdio: "inherit", env: { ...process.env, TMPDIR: place } });
  const [code, signal] = await once(child, "close");
  return code ?? signal;
}

const SAMPLE = `const service = await connect.sample();
await service.table("MARKET/PRICES").limit(1).frame();`;

it.each([
  ["closes the service", `${SAMPLE} await service.close();`],
  ["forgets to close it", SAMPLE],
  ["calls process.exit()", `${SAMPLE} process.exit(0);`],
  [
    "stops within an archive",
    `${SAMPLE} for await (const _ of service.table("MARKET/PRICES").export().batches()) process.exit(0);`,
  ],
])("a process that %s leaves nothing in the folder for temporary files", async (_, script) => {
  const place = newPlace();
  expect(await run(place, script)).toBe(0);
  expect(readdirSync(place)).toEqual([]);
});

it("what a killed process leaves is removed by the next one, and nothing else", async () => {
  const place = newPlace();
  expect(await run(place, `${SAMPLE} process.kill(process.pid, "SIGKILL");`)).toBe("SIGKILL");
  expect(readdirSync(place)).toHaveLength(1);
  const others = [
    "arrowbook-files",
    "arrowbook-notes-123456",
    `arrowbook-files-${hostDigits()}-${process.pid}-abcdef`,
    `arrowbook-files-${hostDigits() === "00000000" ? "00000001" : "00000000"}-999999999-abcdef`,
  ];
  for (const name of others) mkdirSync(join(place, name));
  expect(await run(place, `${SAMPLE} await service.close();`)).toBe(0);
  expect(readdirSync(place).sort(), hostname()).toEqual(others.sort());
});

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/*
 * docs/reliability.md lists the faults and what happens, reliability.md beside this file the tests that hold each of
 * them, from their names (`UPDATE_DOCS=1` writes both); every fault has a test.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
const START = "<!-- table -->";
const END = "<!-- end of table -->";

const FAULTS: Readonly<Record<number, readonly [fault: string, behaviour: string]>> = {
  1: [
    "The connection breaks in the middle of a body",
    "Retried; a download resumes where it stopped if a strong ETag, or the same snapshot or weak ETag and length, prove that it is the same file",
  ],
  2: ["The service ignores `Range` and answers 200", "Starts again from the first byte; nothing is appended"],
  3: [
    "The file is replaced between two tries",
    "Found by ETag, length, snapshot or checksum; fetched whole; an error after two changes",
  ],
  4: ["A reply shorter than declared", "Tried again, then an error"],
  5: [
    "A reply truncated where only the end of the connection marks its end",
    "Found by the structure of JSON and XML, the last line end of CSV, the directory of archives; never a short table",
  ],
  6: ["A declared length that is wrong", "Tried again or refused, never a short table"],
  7: ["No answer, a stall, a trickle", "Timeouts for the response, for idling, for the whole; tried again"],
  8: [
    "Name unknown, connection refused, certificate bad",
    "The first two are tried three times in all; a bad certificate is reported at once",
  ],
  9: [
    "gzip, requested or not, once or twice; a body that is not in its declared coding",
    "Decoded within a limit; a coded archive is never resumed by `Range`; a damaged body is an error within the timeouts",
  ],
  10: ["A web page with status 200", "`UnexpectedContent` with the status and 200 characters, keys removed"],
  11: ["500, 502, 503, 504", "Retried with random pauses in a doubling span; then an error that suggests an export"],
  12: ["429 or 503 with `Retry-After` in any form", "Waited for in full; beyond the budget an error at once"],
  13: ["429 without a time; a daily limit", "The pace falls to 0.7 and recovers slowly; a daily limit fails at once"],
  14: ["60 exports an hour", "Counted per key across processes, refused before the request"],
  15: ["400, 401, 403, 404, 410, 413, 414, 422", "Never tried again; the service's code decides before the status"],
  16: [
    "Redirects: other host, loop, to an insecure address",
    "Five at most; the key stays with its own host; https never becomes http",
  ],
  17: [
    "A link that has expired, at the start or in the middle",
    "Renewed up to three times without progress; resumes only within one generation",
  ],
  18: ["Clocks that differ", "The age of a link is monotonic, and the service's reply decides"],
  19: ["The machine slept", "The age of a link is checked before each use"],
  20: [
    "An export that is never made",
    "Growing pauses, a deadline, `ExportPending` with the state; an abort ends it at once",
  ],
  21: ["`regenerating` with an older file", 'The older file at once (`stale: "use"`) or the newer one (`"wait"`)'],
  22: [
    "States that make no sense",
    "A missing link is not ready; an unknown state is an error that names it; no order of states is assumed",
  ],
  23: [
    "Cursors that loop, repeat, expire or are not strings; empty pages",
    "`CursorLoop`, `BadCursor`, `TooManyPages`, or the service's own error; never a part or a mix",
  ],
  24: ["Columns or rows change between pages", "Columns: an error; a refresh: started again, for batches an error"],
  25: ["Exactly 10,000 rows and no cursor member", "A warning, and `source.complete` is false"],
  26: ["A truncated archive, or one with bytes before or after it", "Refused; fetched once more"],
  27: ["A wrong checksum or size", "Refused with all that was read; fetched once more"],
  28: ["zip64", "Read, sizes beyond 4 GiB included"],
  29: [
    "Names that leave the folder, links, several files, none, an archive inside",
    "Refused by name; no name of an archive becomes a path",
  ],
  30: ["Bombs: ratio, hidden size, overlapping entries", "Refused before or while inflating; limits can be raised"],
  31: ["Encryption, unknown methods", "`UnsupportedZip` with the method"],
  34: [
    "A header in another order, or with other names",
    "Bound by name; a missing, extra or differently spelt column is an error",
  ],
  35: ["A ragged row", "An error, and no file"],
  41: ["A column type that changes between pages", "An error"],
  44: [
    "The disk is full",
    "Checked before the first byte; the error has the needed and the free space; an older file stays",
  ],
  45: ["Two processes want the same file", "One download, shared; right also where locks do nothing"],
  46: [
    "kill -9, power, a broken run",
    "Only complete files have their names; the next run resumes, with `checkpoint` also pages, and removes leftovers",
  ],
  47: ["A folder that cannot be written; a corrupt cache", "An error, or works without; downloaded again"],
  48: [
    "A slow reader, a reader that leaves, an abort",
    "One batch at a time; sockets, files and handles are released at once",
  ],
  50: [
    "A reply to another query, as of a cache that drops the query string",
    "`ReplyContradicts`, as far as the reply shows it ([checks](profiles.md#replies-that-contradict-the-query))",
  ],
  49: ["Keys in errors, logs, files, notebooks, links", "One scrubber; links are never stored"],
};

const named = (): Map<number, string[]> => {
  const found = new Map<number, string[]>();
  for (const folder of ["test/faults", "test/zip"]) {
    for (const file of readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".test.ts"))
      .sort()) {
      const source = readFileSync(join(root, folder, file), "utf8");
      for (const [, rows, name] of source.matchAll(/["`]rows? ([\d, ]+): ((?:[^"`\\]|\\.)*)["`]/g)) {
        for (const row of rows.split(",").map(Number)) {
          found.set(row, [
            ...(found.get(row) ?? []),
            `${name.replaceAll("\\", "").replaceAll("|", "\\|")} (\`${folder}/${file}\`)`,
          ]);
        }
      }
    }
  }
  return found;
};

/** Compares the table of a page with the rows, or writes it. */
function checkTable(path: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const page = join(root, path);
  const table = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const [before, rest] = readFileSync(page, "utf8").split(START);
  const wanted = `${before}${START}\n\n${table}\n\n${END}${rest.split(END)[1]}`;
  if (process.env.UPDATE_DOCS) writeFileSync(page, wanted);
  expect(readFileSync(page, "utf8")).toBe(wanted);
}

it("every fault that touches client and bulk has a test, and the pages list them", () => {
  const tests = named();
  for (const [row, [fault]] of Object.entries(FAULTS))
    expect(tests.get(Number(row)) ?? [], `row ${row}: ${fault}`).not.toEqual([]);
  expect([...tests.keys()].filter((row) => !(row in FAULTS))).toEqual([]);
  const faults = Object.entries(FAULTS);
  checkTable(
    "docs/reliability.md",
    ["Fault", "What happens"],
    faults.map(([, cells]) => cells),
  );
  checkTable(
    "test/faults/reliability.md",
    ["", "Fault", "Tests"],
    faults.map(([row, [fault]]) => [row, fault, [...new Set(tests.get(Number(row)))].join("<br>")]),
  );
});

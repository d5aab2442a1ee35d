import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Table, tableFromIPC, Vector } from "apache-arrow";
import { vectorToStrings } from "../../../src/columns/arrow/vector-values.js";
import { isArrowbookError } from "../../../src/errors/errors.js";
import type { Frame } from "../../../src/index.js";
import { cases } from "../../cases.js";
import { frameOfIPC } from "../../frame-of-ipc.js";
import { arrowCorpus, compressedStreams } from "../arrow-corpus.js";
import { mutateBytes } from "../mutate.js";
import type { FuzzTarget } from "../target.js";
import { textsOf, useFrame } from "../use-frame.js";

const UNREAD = /list_view|run_end_encoded|0\.17\.1.generated_union/;
const LARGEST = 20_000;

/** Arrow's own files if they are available, only the small ones: larger ones make slow inputs and no other layouts. */
function goldFiles(): Uint8Array[] {
  const root = cases("arrow-gold");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(stream|arrow_file)$/.test(name) && !UNREAD.test(name))
    .sort()
    .map((name) => new Uint8Array(readFileSync(join(root, name))))
    .filter(({ length }) => length <= LARGEST);
}

/**
 * Compares a frame with what the Arrow library reads, which believes the bytes: where they are right, both have the
 * same cells. Columns that share a name get one type there; bytes that are not aligned, big-endian numbers and
 * missing dictionaries are errors or other values.
 */
function compareWithLibrary(input: Uint8Array, frame: Frame): void {
  const names = frame.columns.map(({ name }) => name);
  if (new Set(names).size < names.length) return;
  const read = theirTable(input);
  if (read === undefined) return;
  const { schema, batches } = read;
  const theirs = schema.fields.map((_, i) => vectorToStrings(new Vector(batches.map(({ data }) => data.children[i]))));
  const [a, b] = [JSON.stringify(textsOf(frame)), JSON.stringify(theirs)];
  if (a !== b) throw new Error(`the Arrow library reads ${b.slice(0, 500)}, not ${a.slice(0, 500)}`);
}

/** The table that the Arrow library reads; undefined for compressed buffers and for integers at an odd offset. */
function theirTable(input: Uint8Array): Table | undefined {
  try {
    return tableFromIPC(input);
  } catch (error) {
    const isBeyond = /codec not found|^start offset of \w+ should be a multiple of/;
    if (error instanceof Error && isBeyond.test(error.message)) return undefined;
    throw error;
  }
}

/**
 * Arrow streams and files: refused with an error of this package, or a frame whose every cell can be used and is the
 * one that the Arrow library reads.
 */
export const target: FuzzTarget = {
  name: "arrow",
  quick: 800,
  corpus: () => [...arrowCorpus(), ...compressedStreams(), ...goldFiles()],
  mutate: mutateBytes,
  check(input) {
    let frame: Frame;
    try {
      frame = frameOfIPC(input);
    } catch (error) {
      if (isArrowbookError(error)) return "refused";
      throw error;
    }
    useFrame(frame);
    compareWithLibrary(input, frame);
    return "read";
  },
};

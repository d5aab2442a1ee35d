import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isArrowbookError } from "../../../src/errors/errors.js";
import { Frame } from "../../../src/index.js";
import { cases } from "../../cases.js";
import { arrowCorpus } from "../arrow-corpus.js";
import { mutateBytes } from "../mutate.js";
import type { FuzzTarget } from "../target.js";
import { useFrame } from "../use-frame.js";

const UNREAD = /compression|list_view|run_end_encoded|0\.17\.1.generated_union/;
const LARGEST = 20_000;

/** Arrow's own files where they are at hand, the small ones: larger ones make slow inputs and no other layouts. */
function goldFiles(): Uint8Array[] {
  const root = cases("arrow-gold");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(stream|arrow_file)$/.test(name) && !UNREAD.test(name))
    .sort()
    .map((name) => new Uint8Array(readFileSync(join(root, name))))
    .filter(({ length }) => length <= LARGEST);
}

/** Arrow streams and files: refused with an error of this package, or a frame whose every cell can be used. */
export const target: FuzzTarget = {
  name: "arrow",
  quick: 800,
  corpus: () => [...arrowCorpus(), ...goldFiles()],
  mutate: mutateBytes,
  check(input) {
    let frame: Frame;
    try {
      frame = Frame.fromIPC(input);
    } catch (error) {
      if (isArrowbookError(error)) return "refused";
      throw error;
    }
    useFrame(frame);
    return "read";
  },
};

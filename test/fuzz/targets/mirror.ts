import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nasdaqDataLink, specification } from "../../../src/spec/profile.js";
import { BOUNDS, DAMAGES, type History, PLACES, runHistory } from "../../client/history-run.js";
import { historyTable } from "../../client/history-table.js";
import type { FuzzTarget } from "../target.js";

const TEXTS = ["A", "b", "", null];

/** A history from bytes, each of which is one choice. */
function historyOf(bytes: Uint8Array, from: number): History {
  let at = from;
  const pick = <T>(choices: readonly T[]): T => choices[(bytes[at++] ?? 0) % choices.length];
  const change = () => ({
    ticker: pick(TEXTS),
    date: pick(["2024-01-01", "2024-01-02"]),
    note: pick(TEXTS),
    isFuture: pick([false, false, false, true]),
  });
  const step = () => ({
    changes: Array.from({ length: pick([0, 1, 2, 3, 5]) }, change),
    damage: pick<History["steps"][number]["damage"]>(["none", "none", "none", "none", ...DAMAGES]),
  });
  return {
    bounds: pick(BOUNDS),
    wholeEvery: pick([2, 100]),
    isDated: pick([true, true, false]),
    steps: Array.from({ length: 2 + (bytes.length >> 5) }, step),
  };
}

/** Mirrors of random histories of a table. */
export const target: FuzzTarget = {
  name: "mirror",
  quick: 8,
  msPerMegabyte: 20_000,
  maxMemory: 1_024,
  corpus: () => PLACES.map((_, place) => Uint8Array.of(place, ...new Uint8Array(95))),
  mutate: (input, random) =>
    Uint8Array.from({ length: 32 + random.below(96) }, (_, i) => (i === 0 ? input[0] : random.below(256))),
  async check(bytes) {
    const root = mkdtempSync(join(tmpdir(), "arrowbook-fuzz-mirror-"));
    const table = await historyTable(bytes[1] % 2 === 0 ? specification : nasdaqDataLink);
    try {
      const place = PLACES[bytes[0] % PLACES.length];
      return (await runHistory(table, root, place, historyOf(bytes, 2))) ? "refused" : "read";
    } finally {
      await table.server.close();
      rmSync(root, { recursive: true, force: true });
    }
  },
};

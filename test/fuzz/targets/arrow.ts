import { Frame } from "../../../src/index.js";
import type { FuzzTarget } from "../target.js";

const corpus = (): Uint8Array[] => [
  Frame.fromRows(
    [
      { t: "ab", n: 1 },
      { t: null, n: 2 },
      { t: "cde", n: null },
    ],
    [
      { name: "t", type: "String" },
      { name: "n", type: "Integer" },
    ],
  ).toIPC(),
];

export const target: FuzzTarget = {
  name: "arrow",
  quick: 1000,
  corpus,
  mutate: (input, random) => input.slice(0, random.below(input.length)),
  check(input) {
    try {
      Array.from(Frame.fromIPC(input).rows());
    } catch {
      return "refused";
    }
    return "read";
  },
};

import type { FuzzTarget } from "./target.js";

/** The members of a target whose input is the seed of a generator: 4 bytes, all of which are well-formed. */
export const seedInput = {
  corpus: () => [new Uint8Array(4)],
  mutate: (_, random) => Uint8Array.from({ length: 4 }, () => random.below(256)),
  refuses: false,
} as const satisfies Partial<FuzzTarget>;

/** The seed in such an input. */
export function seedOf(input: Uint8Array): number {
  return new DataView(input.buffer, input.byteOffset, 4).getUint32(0);
}

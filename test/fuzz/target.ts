import type { Random } from "./random.js";

/** What became of an input: read without a fault, or refused with an error of this package. */
export type Outcome = "read" | "refused";

/**
 * Code under fuzz. A file `targets/<name>.ts` exports one as `target`; `npm test` runs the first {@link quick} inputs
 * of each, `npm run fuzz -- --minutes N [name …]` runs them for longer.
 */
export interface FuzzTarget {
  /** The name on the command line, equal to the file's name. */
  readonly name: string;
  /** How many inputs `npm test` runs; a few seconds' worth. */
  readonly quick: number;
  /** Well-formed inputs, the same in every run and in the same order. */
  corpus(): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  /** A damaged copy of an input. All chance comes from `random`, so that a seed reproduces the input. */
  mutate(input: Uint8Array, random: Random): Uint8Array;
  /**
   * Throws when the code under test breaks its promise: a foreign error, a wrong value, a value that cannot be used.
   */
  check(input: Uint8Array): Outcome | Promise<Outcome>;
  /** False if every input is well-formed, so that none is refused; default true. */
  readonly refuses?: boolean;
  /** Milliseconds of processor time that an input may take for each megabyte or part of one; default 1,000. */
  readonly msPerMegabyte?: number;
  /** Megabytes of memory that the process may reach; default 512. */
  readonly maxMemory?: number;
}

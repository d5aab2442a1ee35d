import fc from "fast-check";

type Values = [unknown, ...unknown[]];
type Runs<Ts> = number | (Pick<fc.Parameters, "numRuns" | "seed" | "endOnFailure"> & { examples?: NoInfer<Ts>[] });

const parametersOf = <Ts>(runs: Runs<Ts>) => (typeof runs === "number" ? { numRuns: runs } : runs);

/** Throws where a check of so many random values fails or returns `false`, with the smallest values that it finds. */
export function forAll<Ts extends Values>(runs: Runs<Ts>, ...check: Parameters<typeof fc.property<Ts>>): void {
  fc.assert(fc.property<Ts>(...check), parametersOf(runs));
}

/** Rejects where `forAll` would throw. */
export function forAllAsync<Ts extends Values>(
  runs: Runs<Ts>,
  ...check: Parameters<typeof fc.asyncProperty<Ts>>
): Promise<void> {
  return fc.assert(fc.asyncProperty<Ts>(...check), parametersOf(runs));
}

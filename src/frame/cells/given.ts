import type { RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { InputError } from "../../errors/errors.js";

/** @throws {InputError} BadArgument unless an object with members is passed */
export function needObject(given: unknown, where: string, hint: string): asserts given is object {
  if (typeof given === "object" && given !== null) return;
  refuse(given, where, hint);
}

/** @throws {InputError} BadArgument unless an array is passed */
export function needList(given: unknown, where: string, hint: string): asserts given is ArrayLike<unknown> {
  if (typeof given === "object" && typeof (given as { length?: unknown } | null)?.length === "number") return;
  refuse(given, where, hint);
}

/**
 * Validates the batches passed to `fromBatches()`.
 *
 * @throws {InputError} BadArgument if the schema or a batch is not one
 */
export function checkedBatches(schema: Schema, batches: Iterable<RecordBatch>): RecordBatch[] {
  const hint = "Pass the schema of an Arrow table and an array of record batches.";
  const isIterable =
    typeof (batches as Partial<Iterable<unknown>> | null | undefined)?.[Symbol.iterator] === "function";
  const all = isIterable ? [...batches] : refuse(batches, "fromBatches()", hint);
  const wrong = all.find((batch) => !Array.isArray(batch?.schema?.fields) || batch.data === undefined);
  if (wrong !== undefined || all.includes(null as never)) refuse(wrong ?? null, "A batch of fromBatches()", hint);
  if (all.length === 0 && !Array.isArray(schema?.fields)) refuse(schema, "The schema of fromBatches()", hint);
  return all;
}

/** @throws {InputError} BadArgument unless bytes are passed */
export function needBytes(given: unknown, where: string, hint: string): asserts given is Uint8Array {
  if (!(given instanceof Uint8Array)) refuse(given, where, hint);
}

/** @throws {InputError} BadArgument unless a name is passed */
export function needName(given: unknown, where: string, hint: string): asserts given is string {
  if (typeof given !== "string") refuse(given, where, hint);
}

/** @throws {InputError} BadArgument unless a path is passed */
export function needPath(given: unknown, where: string): asserts given is string {
  if (typeof given === "string" && given !== "") return;
  refuse(given, where, "Pass the path of a file.");
}

/** @throws {InputError} BadArgument unless a row count of 0 or more is passed (Infinity is all rows) */
export function needCount(
  given: unknown,
  where: string,
  hint = "Pass a row count of 0 or more.",
): asserts given is number {
  if (typeof given === "number" && given >= 0) return;
  refuse(given, where, hint);
}

function refuse(given: unknown, where: string, hint: string): never {
  throw new InputError(`${where} does not accept ${kindOf(given)}.`, { code: "BadArgument", hint });
}

const kindOf = (given: unknown): string => {
  if (given === undefined || given === null || typeof given === "number" || given === "")
    return JSON.stringify(given) ?? "undefined";
  return typeof given === "object" ? "an object" : `a ${typeof given}`;
};

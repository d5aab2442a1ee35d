import type { RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { InputError } from "../../errors/errors.js";

/** Throws InputError `BadArgument` unless an object with members is given. */
export function needObject(given: unknown, where: string, hint: string): asserts given is object {
  if (typeof given === "object" && given !== null) return;
  refuse(given, where, hint);
}

/** Throws InputError `BadArgument` unless a list is given. */
export function needList(given: unknown, where: string, hint: string): asserts given is ArrayLike<unknown> {
  if (typeof given === "object" && typeof (given as { length?: unknown } | null)?.length === "number") return;
  refuse(given, where, hint);
}

/** The batches that `fromBatches()` is given. Throws InputError `BadArgument` where the schema is none or something is no batch. */
export function batchesGiven(schema: Schema, batches: Iterable<RecordBatch>): RecordBatch[] {
  const hint = "Give the schema of an Arrow table and a list of record batches.";
  const isIterable =
    typeof (batches as Partial<Iterable<unknown>> | null | undefined)?.[Symbol.iterator] === "function";
  const all = isIterable ? [...batches] : refuse(batches, "fromBatches()", hint);
  const wrong = all.find((batch) => !Array.isArray(batch?.schema?.fields) || batch.data === undefined);
  if (wrong !== undefined || all.includes(null as never)) refuse(wrong ?? null, "A batch of fromBatches()", hint);
  if (all.length === 0 && !Array.isArray(schema?.fields)) refuse(schema, "The schema of fromBatches()", hint);
  return all;
}

/** Throws InputError `BadArgument` unless bytes are given. */
export function needBytes(given: unknown, where: string, hint: string): asserts given is Uint8Array {
  if (!(given instanceof Uint8Array)) refuse(given, where, hint);
}

/** Throws InputError `BadArgument` unless a name is given. */
export function needName(given: unknown, where: string, hint: string): asserts given is string {
  if (typeof given !== "string") refuse(given, where, hint);
}

/** Throws InputError `BadArgument` unless a path is given. */
export function needPath(given: unknown, where: string): asserts given is string {
  if (typeof given === "string" && given !== "") return;
  refuse(given, where, "Give the path of a file.");
}

/** Throws InputError `BadArgument` unless a number of rows of 0 or more is given (`Infinity` is all of them). */
export function needCount(given: unknown, where: string): asserts given is number {
  if (typeof given === "number" && given >= 0) return;
  refuse(given, where, "Give a number of rows of 0 or more.");
}

function refuse(given: unknown, where: string, hint: string): never {
  throw new InputError(`${where} is given ${kindOf(given)}.`, { code: "BadArgument", hint });
}

const kindOf = (given: unknown): string => {
  if (given === undefined || given === null || typeof given === "number" || given === "")
    return JSON.stringify(given) ?? "undefined";
  return typeof given === "object" ? "an object" : `a ${typeof given}`;
};

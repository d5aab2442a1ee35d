import type { Schema } from "../../columns/arrow/arrow.js";
import { InputError } from "../../errors/errors.js";
import type { ScanSource } from "./engine.js";

/** Quotes any name for SQL: `Cost Total $` becomes `"Cost Total $"`. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * The values for `$1`, `$2`, … of a statement.
 *
 * @throws {InputError} BadArgument for anything but an array
 */
export function checkedParams(params: readonly unknown[] | undefined): readonly unknown[] {
  if (params === undefined) return [];
  if (Array.isArray(params)) return params;
  throw new InputError("The values for $1, $2, … must be an array.", {
    code: "BadArgument",
    hint: 'Pass them in order: query("… WHERE a = $1", ["x"]).',
  });
}

/** The error of a statement with a parameter for which no value was passed. */
export const missingParam = (position: string, count: number): InputError =>
  new InputError(`The statement has $${position}; ${count} values were passed.`, {
    code: "BadArgument",
    hint: "Pass one value for each of $1, $2, ….",
  });

/** The error of a call of an engine that has been closed; `opener` opens another. */
export const engineClosed = (opener: string): InputError =>
  new InputError("The engine has been closed.", { code: "EngineClosed", hint: `Open another one: await ${opener}.` });

/**
 * A value of `$1`, `$2`, … as the engine takes it: a date is the text of its time in UTC.
 *
 * @throws {InputError} BadArgument
 */
export function boundValue(value: unknown): unknown {
  const wrong = (what: string, hint: string): InputError =>
    new InputError(`A bound parameter is ${what}.`, { code: "BadArgument", hint });
  if (value === undefined) throw wrong("undefined", "Pass null for no value.");
  if (typeof value === "bigint" && BigInt.asIntN(128, value) !== value) {
    throw wrong("a bigint of more than 128 bits", "Pass it as text.");
  }
  if (!(value instanceof Date)) return value;
  if (Number.isNaN(value.getTime())) throw wrong("an invalid date", "Pass null for no value.");
  return value.toISOString();
}

/** Whole numbers that integers of 64 bits cannot hold, and -0. */
export const isDouble = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && (Math.abs(value) >= 2 ** 63 || Object.is(value, -0));

/** @throws {InputError} DuplicateColumn for equal names, BadArgument for impossible ones */
export function checkNames(schema: Schema): void {
  const seen = new Map<string, string>();
  for (const { name } of schema.fields) {
    if (name === "" || name.includes("\0")) {
      throw new InputError(`A column is called ${JSON.stringify(name)}, which cannot be a name in SQL.`, {
        code: "BadArgument",
        column: name,
        hint: "Rename it with rename(), or leave it out with select().",
      });
    }
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) {
      const what =
        other === name
          ? `Two columns are called ${JSON.stringify(name)}.`
          : `Columns ${JSON.stringify(other)} and ${JSON.stringify(name)} differ only in case, which the engine ignores.`;
      throw new InputError(what, {
        code: "DuplicateColumn",
        column: name,
        hint: "Rename one of them with rename().",
      });
    }
    seen.set(name.toLowerCase(), name);
  }
}

/**
 * Checks that SQL can read the columns of each source.
 *
 * @throws {InputError} DuplicateColumn, BadArgument, NoColumns
 */
export function checkSources(sources: Readonly<Record<string, ScanSource>>): void {
  for (const [name, { schema }] of Object.entries(sources)) {
    checkNames(schema);
    if (schema.fields.length > 0) continue;
    throw new InputError(`The table ${JSON.stringify(name)} has no columns, so that SQL cannot read it.`, {
      code: "NoColumns",
      hint: "Select at least one column before sql().",
    });
  }
}

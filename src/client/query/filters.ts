import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { shown } from "../../errors/shown.js";
import type { Filter } from "../../spec/endpoints.js";
import type { Settings } from "../transport/options.js";
import { word } from "./words.js";

/** Conditions as filters of a call. Throws InputError for a missing value and for one that cannot be part of an address. */
export function filtersOf(settings: Settings, conditions: Readonly<Record<string, unknown>>): Filter[] {
  if (typeof conditions !== "object" || conditions === null || Array.isArray(conditions)) {
    throw new InputError(`where() expects an object of conditions by column; got ${shown(conditions)}.`, {
      code: "BadArgument",
      hint: 'Give conditions by column: where({ ticker: "AAPL", date: { gte: "2020-01-01" } }).',
    });
  }
  const filters: Filter[] = [];
  for (const [column, condition] of Object.entries(conditions)) {
    if (condition === undefined) throw missing(column, "The value");
    if (isOperators(condition)) {
      const bounds = Object.entries(condition);
      if (bounds.length === 0) throw missing(column, "Every bound");
      for (const [operator, value] of bounds) {
        if (value === undefined) throw missing(column, `The bound ${JSON.stringify(operator)}`);
        word(settings, "filter operator", operator, settings.profile.operators.value);
        filters.push({ column, operator, values: valuesOf(column, value, operator === "eq") });
      }
    } else {
      filters.push({ column, operator: "eq", values: valuesOf(column, condition, true) });
    }
  }
  return filters;
}

/** A condition that would let every row through, such as one of a variable that was never set. */
function missing(column: string, what: string): InputError {
  return new InputError(`${what} for ${JSON.stringify(column)} is missing: the filter would not restrict the rows.`, {
    code: "BadFilter",
    column,
    hint: `Leave ${JSON.stringify(column)} out of where() for rows with any value.`,
  });
}

function isOperators(condition: unknown): condition is Readonly<Record<string, unknown>> {
  return (
    typeof condition === "object" && condition !== null && !Array.isArray(condition) && !(condition instanceof Date)
  );
}

function valuesOf(column: string, value: unknown, several: boolean): string[] {
  if (!Array.isArray(value)) return [textOf(column, value, several)];
  if (!several || value.length === 0) {
    throw new InputError(
      several
        ? `The list of values for ${JSON.stringify(column)} is empty.`
        : `A bound on ${JSON.stringify(column)} takes one value.`,
      { code: "BadFilter", column, hint: "Give one value, or for equality a list of at least one." },
    );
  }
  return [...new Set(value.map((one) => textOf(column, one, several)))];
}

/** In an equality filter a comma would separate two values; a bound is a single value, sent unchanged. */
function textOf(column: string, value: unknown, several: boolean): string {
  const plain = typeof value === "string" || typeof value === "bigint" || typeof value === "boolean";
  if (plain || (typeof value === "number" && Number.isFinite(value))) {
    const text = String(value);
    if (several && text.includes(",")) {
      const range = "Ask for the range from this value to itself, { gte: value, lte: value }, or filter the frame.";
      throw unsendable(column, text, "commas separate values (spec 4.7)", range);
    }
    return text;
  }
  throw unsendable(column, String(value), "it is no text, finite number, bigint or boolean");
}

function unsendable(
  column: string,
  value: string,
  why: string,
  hint = "Filter the frame after it arrived: frame.filter((row) => …).",
): InputError {
  return new InputError(
    `The value ${JSON.stringify(value)} for ${JSON.stringify(column)} cannot be a filter: ${why}.`,
    {
      code: "BadFilter",
      column,
      value,
      hint,
    },
  );
}

/** What table metadata says about names. */
export interface KnownNames {
  readonly columns: readonly { readonly name: string }[];
  readonly filters: readonly string[];
}

/** Throws InputError for a selected column, or a filtered one, that the metadata does not list (spec 4.7). */
export function checkNames(
  code: string,
  known: KnownNames,
  selected: readonly string[] | undefined,
  filters: readonly Filter[],
): void {
  const names = known.columns.map(({ name }) => name);
  for (const name of [...(selected ?? []), ...filters.map(({ column }) => column)]) {
    if (names.includes(name)) continue;
    throw new InputError(`${code} has no column ${JSON.stringify(name)}.`, {
      code: "UnknownColumn",
      column: name,
      hint: suggestion(name, names, "columns"),
    });
  }
  const comma = selected?.find((name) => name.includes(","));
  if (comma !== undefined) {
    throw new InputError(`${JSON.stringify(comma)} cannot be selected: a comma separates names (spec 4.7).`, {
      code: "BadSelection",
      column: comma,
      hint: "Ask for all columns, or for an export of them, and select from the frame.",
    });
  }
  for (const { column } of filters) {
    if (known.filters.includes(column)) continue;
    throw new InputError(`${code} cannot be filtered by ${JSON.stringify(column)} (spec 4.7).`, {
      code: "NotFilterable",
      column,
      hint: `${known.filters.length > 0 ? `Filter by ${known.filters.map((f) => JSON.stringify(f)).join(", ")}` : "It has no filters"}; filter the rest after it arrived: frame.filter((row) => …).`,
    });
  }
}

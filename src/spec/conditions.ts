import type { Operator } from "./vocabulary.js";

/** A value a filter compares with. Dates are strings `YYYY-MM-DD`, or a `Date` that is midnight in UTC. */
export type FilterValue = string | number | bigint | boolean | Date;

/**
 * A condition on one column: a value, any of several values, or bounds (spec 4.7). `gte`, `lte` inclusive, `gt`, `lt`
 * exclusive.
 */
export type Condition =
  | FilterValue
  | readonly FilterValue[]
  | { readonly [K in Operator]?: K extends "eq" ? FilterValue | readonly FilterValue[] : FilterValue };

/** Conditions by column name; all of them must hold. */
export type Conditions<Row> = { readonly [K in keyof Row]?: Condition };

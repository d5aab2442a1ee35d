import type { Operator } from "./vocabulary.js";

/** A value a filter compares with. Days are texts `YYYY-MM-DD`. */
export type FilterValue = string | number | bigint | boolean;

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

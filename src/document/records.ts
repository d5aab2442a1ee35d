import type { ColumnSpec } from "../spec/columns.js";
import type { Fields, ResourceName, resources } from "../spec/resources.js";

/**
 * The value of a member: timestamps are ISO 8601 UTC strings and dates `YYYY-MM-DD` strings, whatever the format of the
 * reply.
 */
type Value<F> = F extends { readonly kind: "texts" }
  ? readonly string[]
  : F extends { readonly kind: "columns" }
    ? readonly ColumnSpec[]
    : F extends { readonly kind: "object"; readonly fields: infer Inner extends Fields }
      ? RecordOfFields<Inner>
      : F extends { readonly kind: "integer" | "float" }
        ? number
        : F extends { readonly kind: "boolean" }
          ? boolean
          : string;

type OrNull<F> = F extends { readonly nullable: true } ? null : never;
type FlatNames<T> = { [K in keyof T]: T[K] extends { readonly csv: "flat" } ? K : never }[keyof T];
type RowNames<T> = { [K in keyof T]: T[K] extends { readonly kind: "rows" } ? K : never }[keyof T];
type AbsentNames<T> = { [K in keyof T]: T[K] extends { readonly absentIn: unknown } ? K : never }[keyof T];
type Intersection<U> = (U extends unknown ? (u: U) => void : never) extends (i: infer I) => void ? I : never;
type Inner<F> = F extends { readonly fields: infer I extends Fields } ? RecordOfFields<I> : never;
type Plain<T> = { readonly [K in keyof T]: T[K] };

type RecordOfFields<T> = Plain<
  { readonly [K in Exclude<keyof T, FlatNames<T> | RowNames<T> | AbsentNames<T>>]: Value<T[K]> | OrNull<T[K]> } & {
    readonly [K in AbsentNames<T>]?: Value<T[K]> | OrNull<T[K]>;
  } & ([FlatNames<T>] extends [never] ? unknown : Intersection<{ [K in FlatNames<T>]: Inner<T[K]> }[FlatNames<T>]>)
>;

/**
 * The members of a resource as plain data under their wire names, without rows and without the level of the root
 * member.
 */
export type RecordOf<R extends ResourceName> = RecordOfFields<(typeof resources)[R]["fields"]>;

/** Members of a time-series reply beside its rows (spec 2.1): the applied parameters and the column names. */
export type DatasetData = RecordOf<"datasetData">;
/** Time-series metadata (spec 2.2). */
export type DatasetMetadata = RecordOf<"datasetMetadata">;
/** Time-series metadata together with the members beside the rows (spec 2.3). */
export type DatasetWithData = RecordOf<"dataset">;
/** Database metadata (spec 2.4). */
export type DatabaseMetadata = RecordOf<"databaseMetadata">;
/** Members of a page of table rows beside its rows (spec 2.6): the columns and the next cursor. */
export type TableRows = RecordOf<"tableRows">;
/** Table metadata (spec 2.7). */
export type TableMetadata = RecordOf<"tableMetadata">;
/** The location and state of the file of a table export (spec 2.8). */
export type ExportStatus = RecordOf<"tableExport">;

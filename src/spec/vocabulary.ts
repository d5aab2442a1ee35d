/** The three reply formats (spec 1). */
export const FORMATS = ["json", "xml", "csv"] as const;
/** The formats of a reply. */
export type Format = (typeof FORMATS)[number];

declare const unlistedWord: unique symbol;

/** A value that the vocabulary does not list, used on purpose: `collapse(unlisted("semiannual"))`. */
export type Unlisted = string & { readonly [unlistedWord]: true };

/** Marks a value as intended although the vocabulary does not list it (spec 4.2 leaves the allowed values open). */
export function unlisted(value: string): Unlisted {
  return value as Unlisted;
}

/** Values of `collapse` (spec 4.2 shows `monthly`; the rest as observed). */
export const COLLAPSES = ["none", "daily", "weekly", "monthly", "quarterly", "annual"] as const;
/** The frequencies to which the service reduces a series. */
export type Collapse = (typeof COLLAPSES)[number];

/** Values of `transform` (spec 4.2 shows `rdiff`; others as observed). A new one is an entry here and its function. */
const TRANSFORM_TYPES = {
  none: { dropsFirst: false, isShare: false, observed: true },
  diff: { meaning: "change from the row before", dropsFirst: true, isShare: false, observed: true },
  rdiff: { meaning: "relative change from the row before", dropsFirst: true, isShare: true, observed: true },
  rdiff_from: { meaning: "relative change until the newest row", dropsFirst: false, isShare: true, observed: true },
  cumul: { meaning: "running sum", dropsFirst: false, isShare: false, observed: true },
  normalize: { meaning: "first row as 100", dropsFirst: false, isShare: false, observed: true },
} as const satisfies Readonly<Record<string, TransformType>>;

/**
 * The effect of a transform on the values of a series. The computation is in series/transform, for the
 * embedded service too.
 */
export interface TransformType {
  /** What the values are, for captions. */
  readonly meaning?: string;
  /** The first row has no result and is dropped. */
  readonly dropsFirst: boolean;
  /** The values are fractions, shown as percentages. */
  readonly isShare: boolean;
  /** Whether public services were observed to apply it: profiles list such transforms alone. */
  readonly observed: boolean;
}

/** The calculations that the service applies to a series. */
export type Transform = keyof typeof TRANSFORM_TYPES;
export const TRANSFORMS = Object.keys(TRANSFORM_TYPES) as readonly Transform[];
/** The transforms that public services were observed to apply. */
export const OBSERVED_TRANSFORMS = TRANSFORMS.filter((name) => transformType(name).observed);

/** The descriptor of a transform; undefined if the vocabulary does not list it. */
export function transformType(transform: Transform): TransformType;
export function transformType(transform: string | undefined): TransformType | undefined;
export function transformType(transform: string | undefined): TransformType | undefined {
  const types: Readonly<Record<string, TransformType>> = TRANSFORM_TYPES;
  return transform !== undefined && Object.hasOwn(types, transform) ? types[transform] : undefined;
}

/** Values of `order` (spec 2.1: `desc` means newest first; `asc` as observed). */
export const ORDERS = ["desc", "asc"] as const;
/** The orders of a series. */
export type Order = (typeof ORDERS)[number];

/** Values of `download_type` (spec 4.6). */
export const DOWNLOAD_TYPES = ["full", "partial"] as const;
/** The kinds of a database's bulk file: the whole history, or what is new. */
export type DownloadType = (typeof DOWNLOAD_TYPES)[number];

/** States of a table bulk file (spec 3). */
export const FILE_STATUSES = ["fresh", "creating", "regenerating"] as const;
/** The states of a bulk file. */
export type FileStatus = (typeof FILE_STATUSES)[number];

/** Operators of a row filter (spec 4.7: equality, `.gte`, `.lte`; `.gt` and `.lt` as observed). */
export const OPERATORS = ["eq", "gt", "gte", "lt", "lte"] as const;
/** The comparison operators of row filters. */
export type Operator = (typeof OPERATORS)[number];

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

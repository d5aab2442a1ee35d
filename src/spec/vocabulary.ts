/** The three reply formats (spec 1). */
export const FORMATS = ["json", "xml", "csv"] as const;
export type Format = (typeof FORMATS)[number];

declare const unlistedWord: unique symbol;

/** A value that the vocabulary does not list, used on purpose: `collapse(unlisted("semiannual"))`. */
export type Unlisted = string & { readonly [unlistedWord]: true };

/** Marks a value as intended although the vocabulary does not list it (spec 4.2 leaves the allowed values open). */
export function unlisted(word: string): Unlisted {
  return word as Unlisted;
}

/** Values of `collapse` (spec 4.2 shows `monthly`; the rest as observed). */
export const COLLAPSES = ["none", "daily", "weekly", "monthly", "quarterly", "annual"] as const;
export type Collapse = (typeof COLLAPSES)[number];

/** Values of `transform` (spec 4.2 shows `rdiff`; the rest as observed). */
export const TRANSFORMS = ["none", "diff", "rdiff", "rdiff_from", "cumul", "normalize"] as const;
export type Transform = (typeof TRANSFORMS)[number];

/** Values of `order` (spec 2.1: `desc` means newest first; `asc` as observed). */
export const ORDERS = ["desc", "asc"] as const;
export type Order = (typeof ORDERS)[number];

/** Values of `download_type` (spec 4.6). */
export const DOWNLOAD_TYPES = ["full", "partial"] as const;
export type DownloadType = (typeof DOWNLOAD_TYPES)[number];

/** States of a table bulk file (spec 3). */
export const FILE_STATUSES = ["fresh", "creating", "regenerating"] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];

/** Operators of a row filter (spec 4.7: equality, `.gte`, `.lte`; `.gt` and `.lt` as observed). */
export const OPERATORS = ["eq", "gt", "gte", "lt", "lte"] as const;
export type Operator = (typeof OPERATORS)[number];

/**
 * Row types of tables by code, from which `service.table(code)` takes its columns. Empty here; `arrowbook types
 * VENDOR/TABLE` prints a declaration that adds a table.
 */
// biome-ignore lint/suspicious/noEmptyInterface: a place for declarations of other files
export interface Tables {}

/**
 * The columns of tables on which `where()` can filter, by code. Empty here; a table without an entry accepts conditions
 * on all its columns.
 */
// biome-ignore lint/suspicious/noEmptyInterface: a place for declarations of other files
export interface Filters {}

/** Row types of time series by code, from which `service.dataset(code)` takes its columns. Empty here. */
// biome-ignore lint/suspicious/noEmptyInterface: a place for declarations of other files
export interface Datasets {}

/**
 * Row types of tables by code, for `service.table(code)` to know its columns. Empty here;
 * `arrowbook types VENDOR/TABLE` prints a declaration that adds a table.
 */
// biome-ignore lint/suspicious/noEmptyInterface: a place for declarations of other files
export interface Tables {}

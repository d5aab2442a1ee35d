import { InputError } from "../../errors/errors.js";

/** Row numbers have 32 bits. */
const MOST_ROWS = 2 ** 31 - 1;

/**
 * Checks that a result does not have more rows than a table can have.
 *
 * @throws {InputError} BadArgument
 */
export function refuseTooManyRows(rows: number, method: string): void {
  if (rows <= MOST_ROWS) return;
  throw new InputError(`${method} would make ${rows} rows, more than ${MOST_ROWS}.`, {
    code: "BadArgument",
    hint: "Keys that repeat in both frames make every combination: add a key column, or reduce the rows first.",
  });
}

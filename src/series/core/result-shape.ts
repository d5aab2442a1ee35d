import { InputError } from "../../errors/errors.js";

type Named = string | { readonly field: { readonly name: string } };

/**
 * Checks that no two columns of a result would have the same name.
 *
 * @param hint how to name them otherwise
 * @throws {InputError} DuplicateColumn
 */
export function refuseRepeatedNames(columns: readonly Named[], hint: string): void {
  const seen = new Set<string>();
  for (const column of columns) {
    const name = typeof column === "string" ? column : column.field.name;
    if (seen.has(name)) {
      throw new InputError(`The result would have two columns named ${JSON.stringify(name)}.`, {
        code: "DuplicateColumn",
        column: name,
        hint,
      });
    }
    seen.add(name);
  }
}

/** As {@link refuseRepeatedNames}, for columns added to those of a table, whose own names may repeat. */
export function refuseTakenNames(own: readonly string[], added: readonly Named[], hint: string): void {
  refuseRepeatedNames([...new Set(own), ...added], hint);
}

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

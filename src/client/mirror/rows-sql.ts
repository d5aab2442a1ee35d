import { quoteName } from "../../engine/contract/statements.js";
import { numberColumn, type View } from "./log.js";

/**
 * The statement that selects the rows of a version.
 *
 * @param rows table expressions of its pieces
 * @param removed those of its removed rows
 */
export function rowsOf(
  { log, version, isWhole, removed: pieces, removedUpTo }: View,
  rows: readonly string[],
  removed: readonly string[],
  selected: readonly string[] = log.columns.map(({ name }) => name),
  conditions: readonly string[] = [],
): string {
  const number = quoteName(numberColumn(log.columns));
  const names = [...log.columns.map(({ name }) => quoteName(name)), number].join(", ");
  const all = rows.map((piece) => `select ${names} from ${piece}`).join(" union all ");
  const gone = removed.map((piece) => `select "row" from ${piece} where "version" <= ${removedUpTo}`);
  const filters = [
    ...(isWhole ? [] : [`${number} < ${version.end}`]),
    ...(pieces.length === 0 ? [] : [`${number} not in (${gone.join(" union all ")})`]),
    ...conditions,
  ];
  const where = filters.length === 0 ? "" : ` where ${filters.join(" and ")}`;
  return `select ${selected.map(quoteName).join(", ")} from (${all}) as log${where}`;
}

import type { CodeOf } from "../../errors/codes.js";
import { DataError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Page, TableCall } from "./table-page.js";

/**
 * Checks the pages of one query, passed in order.
 *
 * @throws {DataError} CursorLoop if a cursor or a page repeats, ColumnsChanged if the columns differ between pages,
 *   TooManyPages
 */
export function pageCheck(table: TableCall, maxPages: number): (page: Page) => void {
  const cursors = new Set<string>();
  let previous: Page | undefined;
  let pages = 0;
  return (page) => {
    const fail = (code: CodeOf<"DataError">, what: string): never => {
      throw new DataError(`The pages of ${table.code} ${what} (page ${pages + 1}).`, {
        code,
        hint: "Discard the rows read so far. Start again, or use an export (.export()).",
      });
    };
    if (previous && !sameColumns(previous.columns, page.columns)) fail("ColumnsChanged", "changed their columns");
    if (page.next !== null && cursors.has(page.next)) fail("CursorLoop", "repeat: a cursor was returned twice");
    if (previous?.rows === 0 && page.rows === 0 && page.next !== null) fail("CursorLoop", "are empty but do not end");
    // A selection without the key may legitimately repeat rows; complete rows may not.
    const same = previous !== undefined && page.rows > 0 && previous.digest !== "" && previous.digest === page.digest;
    if (same && !table.select) fail("CursorLoop", "repeat themselves");
    if (++pages >= maxPages && page.next !== null) fail("TooManyPages", `exceed the limit of ${maxPages}`);
    if (page.next !== null) cursors.add(page.next);
    previous = page;
  };
}

function sameColumns(a: readonly ColumnSpec[], b: readonly ColumnSpec[]): boolean {
  return a.length === b.length && a.every(({ name, type }, i) => b[i].name === name && b[i].type === type);
}

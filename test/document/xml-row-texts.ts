import type { XMLFragment } from "../../src/format/xml/cursor.js";
import { XMLRows } from "../../src/format/xml/rows.js";

/** The rows of a reply in XML as arrays of strings. */
export function* xmlRowTexts(fragment: XMLFragment): Generator<(string | null)[], void, undefined> {
  const rows = new XMLRows(fragment);
  while (rows.nextRow()) {
    const cells: (string | null)[] = [];
    while (rows.nextCell()) cells.push(rows.isNull ? null : rows.text());
    yield cells;
  }
}

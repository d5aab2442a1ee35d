import type { Table } from "../../columns/arrow/arrow.js";
import { refuseUnknown } from "../../errors/options.js";
import { builtin } from "../../package/builtin.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { escapeHtml, escapeJson } from "../base/escape.js";
import { type Bundle, showAs } from "../base/show.js";
import { EXPLORE_SCRIPT } from "./explore-script.js";
import { htmlTable } from "./html.js";
import { textTable } from "./text.js";
import { grouped, viewOf } from "./view.js";

/** How much of a table the browser receives. */
export interface ExploreOptions {
  /** Rows that can be sorted and filtered, from the first; default 1,000, at most 20,000. */
  readonly rows?: number;
  /** Rows of a page; default 20. */
  readonly page?: number;
}

/** The most rows that a notebook page handles without becoming slow. */
const MAX_ROWS = 20_000;
const MAX_COLUMNS = 50;
const LONGEST_CELL = 500;

/** A table to sort, filter and page in a trusted notebook; a static table anywhere else. */
export class Exploration {
  readonly #table: Table;
  readonly #source: FrameSource | undefined;
  readonly #options: ExploreOptions;

  constructor(table: Table, options: ExploreOptions = {}, source?: FrameSource) {
    refuseUnknown(options, ["rows", "page"], "explore()");
    this.#table = table;
    this.#options = options;
    this.#source = source;
  }

  /** Self-contained HTML: the static table, and a script that replaces it with the live one where scripts may run. */
  toHTML(): string {
    const rows = Math.max(1, Math.min(this.#options.rows ?? 1_000, MAX_ROWS));
    const view = viewOf(this.#table, { maxRows: rows, maxColumns: MAX_COLUMNS, digits: "full" }, 1);
    const data = {
      names: view.columns.map(({ name }) => name),
      types: view.columns.map(({ type }) => type),
      numeric: view.columns.map(({ numeric }) => numeric),
      cells: view.columns.map(({ cells }) => cells.map(({ text }) => text?.slice(0, LONGEST_CELL) ?? null)),
      page: Math.max(1, Math.min(this.#options.page ?? 20, 500)),
      note: noteOf(this.#table, rows),
    };
    const json = escapeJson(data);
    const id = `arrowbook-${builtin("node:crypto").createHash("sha256").update(json).digest("hex").slice(0, 12)}`;
    const table = htmlTable(this.#table, { source: this.#source });
    return `<div id="${escapeHtml(id)}">${table}</div>\n<script>(${EXPLORE_SCRIPT})("${id}", ${json})</script>`;
  }

  /** The first rows as aligned text. */
  toString(): string {
    return textTable(this.#table, { source: this.#source });
  }
}

function noteOf(table: Table, rows: number): string {
  const parts: string[] = [];
  if (table.numRows > rows) parts.push(`the first ${grouped(rows)} of ${grouped(table.numRows)} rows`);
  const columns = table.schema.fields.length;
  if (columns > MAX_COLUMNS) parts.push(`${MAX_COLUMNS} of ${columns} columns`);
  return parts.join(", ");
}

showAs<Exploration>(Exploration.prototype, {
  bundle: (exploration): Bundle => ({ "text/html": exploration.toHTML(), "text/plain": exploration.toString() }),
  text: (exploration) => exploration.toString(),
});

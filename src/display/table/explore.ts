import type { Table } from "../../columns/arrow/arrow.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { columnType } from "../../columns/arrow/types.js";
import { refuseUnknown } from "../../errors/options.js";
import { builtin } from "../../package/builtin.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { escapeHtml, escapeJson } from "../base/escape.js";
import { type LiveHost, liveHost } from "../base/live-view.js";
import { newestOnly } from "../base/newest-only.js";
import { grouped } from "../base/number-text.js";
import { type Bundle, showAs } from "../base/show.js";
import { type FindRows, MAX_COLUMNS, type PageRequest, pageReader, pageRequest, shortCell } from "./explore-rows.js";
import { EXPLORE_SCRIPT } from "./explore-script.js";
import { htmlTable } from "./html.js";
import { LIVE_TABLE_MODULE } from "./live-table-module.js";
import { textTable } from "./text.js";
import { viewOf, viewPositions } from "./view.js";

let bundleOf: (exploration: Exploration) => Bundle;

/** How much of a table the browser receives. */
export interface ExploreOptions {
  /**
   * Rows that can be sorted and filtered in the page alone, from the first; default 1,000, at most 20,000. With the
   * kernel it is all rows.
   */
  readonly rows?: number;
  /** Rows of a page; default 20, with the kernel 100; at most 500. */
  readonly page?: number;
}

/** The most rows that a notebook page handles without becoming slow. */
const MAX_ROWS = 20_000;
const LIVE_PAGE = 100;
const MAX_PAGE = 500;

/**
 * A table to sort, filter and page: by the kernel over all rows where the front end has anywidget, otherwise in the
 * page over the first rows; a static table where no script may run.
 */
export class Exploration {
  readonly #table: Table;
  readonly #source: FrameSource | undefined;
  readonly #options: ExploreOptions;
  readonly #find: FindRows | undefined;

  /** @param find selects the rows of a query; without it the table has the form in the page alone */
  constructor(table: Table, options: ExploreOptions = {}, source?: FrameSource, find?: FindRows) {
    refuseUnknown(options, ["rows", "page"], "explore()");
    this.#table = table;
    this.#options = options;
    this.#source = source;
    this.#find = find;
  }

  /** Self-contained HTML: the static table, and a script that replaces it with the live one where scripts may run. */
  toHTML(): string {
    return this.#html();
  }

  static {
    bundleOf = (exploration) => exploration.#bundle();
  }

  /** In arrowbook's kernel the front end may replace the form in the page by one over all rows. */
  #bundle(): Bundle {
    const host = liveHost();
    if (host === undefined || this.#find === undefined) {
      return { "text/html": this.#html(), "text/plain": this.toString() };
    }
    // Unique: an output of an earlier run must not become live with these rows.
    const id = `arrowbook-${crypto.randomUUID().slice(-12)}`;
    const size = Math.max(1, Math.min(this.#options.page ?? LIVE_PAGE, MAX_PAGE));
    openLiveTable(host, id, this.#table, size, this.#find);
    return { "text/html": this.#html(id), "text/plain": this.toString() };
  }

  #html(ownId?: string): string {
    const rows = Math.max(1, Math.min(this.#options.rows ?? 1_000, MAX_ROWS));
    const view = viewOf(this.#table, { maxRows: rows, maxColumns: MAX_COLUMNS, digits: "full" }, 1);
    const data = {
      names: view.columns.map(({ name }) => name),
      types: view.columns.map(({ type }) => type),
      numeric: view.columns.map(({ numeric }) => numeric),
      cells: view.columns.map(({ cells }) => cells.map(({ text }) => shortCell(text))),
      page: Math.max(1, Math.min(this.#options.page ?? 20, MAX_PAGE)),
      note: noteOf(this.#table, rows),
    };
    const json = escapeJson(data);
    const id =
      ownId ?? `arrowbook-${builtin("node:crypto").createHash("sha256").update(json).digest("hex").slice(0, 12)}`;
    const table = htmlTable(this.#table, { source: this.#source });
    const hint = this.#table.numRows > rows ? `<div><small>${escapeHtml(HINT)}</small></div>` : "";
    return `<div id="${escapeHtml(id)}"><div>${table}</div>${hint}</div>\n<script>(${EXPLORE_SCRIPT})("${id}", ${json})</script>`;
  }

  /** The first rows as aligned text. */
  toString(): string {
    return textTable(this.#table, { source: this.#source });
  }
}

/** What the page suggests as a filter, by the kind of a column. */
const EXAMPLES = { number: ">0, 1..9", time: ">=2024-01-01", text: "text, =text" } as const;

/**
 * Opens the view of a table that the kernel sorts, filters and pages, in place of the element `id`. Requests that
 * arrive while one is answered replace each other.
 */
function openLiveTable(host: LiveHost, id: string, table: Table, size: number, find: FindRows): void {
  const { shown } = viewPositions(0, table.schema.fields.length, { maxColumns: MAX_COLUMNS }, 1);
  const specs = columnsOf(table.schema);
  const read = pageReader(table, shown, size, find);
  const requests = newestOnly<PageRequest>((request) => {
    try {
      view.send(read(request));
    } catch (error) {
      console.error(error);
    }
  });
  const columns = shown.map((at) => {
    const { scale } = columnType(table.schema.fields[at].type);
    return { ...specs[at], numeric: scale === "number", example: EXAMPLES[scale] };
  });
  const view = host.open({
    module: LIVE_TABLE_MODULE,
    state: { target: id, size, total: table.numRows, columns },
    onMessage(message) {
      const request = pageRequest(message, shown.length);
      if (request !== undefined) requests.push(request);
    },
    onInterrupt: () => requests.restart(),
  });
}

const HINT =
  "To sort and filter all rows, run the cell with arrowbook's kernel in a JupyterLab that has anywidget (pip install anywidget).";

function noteOf(table: Table, rows: number): string {
  const parts: string[] = [];
  if (table.numRows > rows) parts.push(`the first ${grouped(rows)} of ${grouped(table.numRows)} rows`);
  const columns = table.schema.fields.length;
  if (columns > MAX_COLUMNS) parts.push(`${MAX_COLUMNS} of ${columns} columns`);
  return parts.join(", ");
}

showAs<Exploration>(Exploration.prototype, {
  bundle: bundleOf,
  text: (exploration) => exploration.toString(),
});

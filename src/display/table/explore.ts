import type { Table, Vector } from "../../columns/arrow/arrow.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { columnType } from "../../columns/arrow/types.js";
import { refuseUnknown } from "../../errors/options.js";
import { digestOf } from "../../platform/node/process.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { escapeHtml, escapeJson } from "../base/escape.js";
import { type LiveHost, liveHost } from "../base/live-view.js";
import { newestOnly } from "../base/newest-only.js";
import { grouped } from "../base/number-text.js";
import { type Bundle, showAs } from "../base/show.js";
import { sampleOf, summaryOf } from "./column-summary.js";
import {
  type FindRows,
  MAX_COLUMNS,
  type PageRequest,
  pageReader,
  pageRequest,
  shortCell,
  summaryRequest,
} from "./explore-rows.js";
import { htmlOfView } from "./html.js";
import { LIVE_TABLE_MODULE } from "./live-table-module.js";
import { PAGE_QUERY, pageKind } from "./page-query.js";
import { Summaries } from "./summaries.js";
import { type SummaryView, summaryImage, summaryView } from "./summary-view.js";
import { textTable } from "./text.js";
import { type ViewColumn, viewOf, viewPositions } from "./view.js";

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
    const { shown } = viewPositions(0, this.#table.schema.fields.length, { maxColumns: MAX_COLUMNS }, 1);
    const summaries = pageSummaries(this.#table, shown);
    const data = {
      names: view.columns.map(({ name }) => name),
      types: view.columns.map(({ type }) => type),
      numeric: view.columns.map(({ numeric }) => numeric),
      kinds: shown.map((at) => pageKind(this.#table.schema.fields[at].type)),
      cells: view.columns.map(({ cells }) => cells.map(({ text }) => shortCell(text))),
      cut: view.columns.map(({ cells }) => cells.some(({ text }) => shortCell(text) !== text)),
      summaries: summaries.map(({ bars, ...summary }) => ({ ...summary, image: summaryImage(bars) })),
      page: Math.max(1, Math.min(this.#options.page ?? 20, MAX_PAGE)),
      total: this.#table.numRows,
      note: noteOf(this.#table, rows),
    };
    const json = escapeJson(data);
    const id = ownId ?? `arrowbook-${digestOf(json, "sha256").slice(0, 12)}`;
    const options = { source: this.#source };
    const table = htmlOfView(viewOf(this.#table, options), options, picturesOf(view.columns, summaries), this.#table);
    const hint = this.#table.numRows > rows ? `<div><small>${escapeHtml(HINT)}</small></div>` : "";
    return `<div id="${escapeHtml(id)}"><div>${table}</div>${hint}</div>\n<script>(${EXPLORE_SCRIPT})("${id}", ${json})</script>`;
  }

  /** The first rows as aligned text. */
  toString(): string {
    return textTable(this.#table, { source: this.#source });
  }
}

/** A table of more cells is summarized from samples, so that it is shown at once. */
const MOST_CELLS = 1_000_000;

function pageSummaries(table: Table, shown: readonly number[]): readonly SummaryView[] {
  const isSmall = table.numRows * shown.length <= MOST_CELLS;
  return shown.map((at) => {
    const vector = table.getChildAt(at) as Vector;
    return summaryView(table.schema.fields[at].name, summaryOf(isSmall ? vector : sampleOf(vector)), table.numRows);
  });
}

/** The summaries as HTML, by the names that only one column has. */
function picturesOf(columns: readonly ViewColumn[], summaries: readonly SummaryView[]): ReadonlyMap<string, string> {
  const names = columns.map(({ name }) => name);
  const found = summaries.map(({ bars, lines, label }, i): [string, string] => {
    const image = summaryImage(bars);
    const alt = escapeHtml(label);
    const below = lines.map(
      (line) => `<small style="font-weight:normal;white-space:nowrap">${escapeHtml(line)}</small>`,
    );
    const all = image === undefined ? below : [`<img src="${image}" alt="${alt}" title="${alt}">`, ...below];
    return [names[i], all.join("<br>")];
  });
  return new Map(found.filter(([name]) => names.indexOf(name) === names.lastIndexOf(name)));
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
  const vectors = shown.map((at) => table.getChildAt(at) as Vector);
  const summaries = new Summaries(vectors, (at, found) => {
    view.send({ kind: "summary", column: at, summary: summaryView(specs[shown[at]].name, found, table.numRows) });
  });
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
      const wanted = summaryRequest(message, shown.length);
      if (wanted !== undefined) summaries.request(wanted);
    },
    onInterrupt() {
      requests.restart();
      summaries.restart();
    },
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

/**
 * The script that runs in the browser. It builds the live table out of text nodes only, so that no cell or name becomes
 * markup. Columns of numbers sort by number, others by text, nulls last; a filter `>5`, `<=2`, `=3`, `1..9` compares
 * numbers, `null` and `!null` find nulls, anything else searches for the text, ignoring case.
 */
const EXPLORE_SCRIPT = `function (id, data) {
  var make = function (name, text, parent) {
    var node = document.createElement(name);
    if (text !== "") node.appendChild(document.createTextNode(text));
    if (parent) parent.appendChild(node);
    return node;
  };
  var quiet = function (node) {
    node.style.cssText = "background:transparent;color:inherit;border:1px solid #888;border-radius:3px";
  };
  var button = function (text, parent, action) {
    var node = make("button", text, parent);
    quiet(node);
    node.type = "button";
    node.onclick = action;
    return node;
  };
  var query = ${PAGE_QUERY};
  var start = function (root) {
    var columns = data.names.length, rows = columns === 0 ? 0 : data.cells[0].length;
    var sorted = -1, down = false, page = 0, wanted = data.names.map(function () { return ""; }), order = [];
    root.textContent = "";
    var statement = make("p", "", root), code = make("code", "", statement), copied = make("small", "", statement);
    code.style.whiteSpace = "pre-wrap";
    copied.setAttribute("role", "status");
    button("copy", statement, function () {
      var select = function () { getSelection().selectAllChildren(code); document.execCommand("copy"); };
      if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).catch(select);
      else select();
      copied.textContent = " copied ";
    }).title = "copy the statement that gives these rows of frame";
    var table = make("table", "", root);
    table.className = "dataframe";
    table.border = "1";
    var head = make("thead", "", table), body = make("tbody", "", table);
    var names = make("tr", "", head), types = make("tr", "", head), pictures = make("tr", "", head), filters = make("tr", "", head);
    [names, types, pictures, filters].forEach(function (line) { make("th", "", line); });
    var marks = data.names.map(function (name, c) {
      var cell = make("th", "", names);
      cell.style.cursor = "pointer";
      cell.style.textAlign = data.numeric[c] ? "right" : "left";
      cell.title = "sort";
      make("span", name, cell);
      var mark = make("span", "", cell);
      cell.tabIndex = 0;
      cell.onclick = function () {
        if (sorted !== c) { sorted = c; down = false; } else if (!down) down = true; else { sorted = -1; down = false; }
        refresh();
      };
      cell.onkeydown = function (event) {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        cell.onclick();
      };
      var type = make("th", "", types);
      type.style.textAlign = cell.style.textAlign;
      make("small", data.types[c], type);
      var picture = make("th", "", pictures), summary = data.summaries[c];
      picture.style.cssText = "font-weight:normal;white-space:nowrap;vertical-align:bottom;text-align:" + cell.style.textAlign;
      picture.title = summary.label;
      if (summary.image) {
        var image = make("img", "", picture);
        image.src = summary.image;
        image.alt = summary.label;
      }
      summary.lines.forEach(function (line) { make("small", line, make("div", "", picture)); });
      var place = make("th", "", filters), input = make("input", "", place);
      place.style.textAlign = cell.style.textAlign;
      input.size = 8;
      quiet(input);
      input.placeholder = data.numeric[c] ? ">0, 1..9" : "filter";
      input.setAttribute("aria-label", "filter " + name);
      input.oninput = function () { wanted[c] = input.value; refresh(); };
      ["keydown", "keypress", "keyup"].forEach(function (kind) {
        input.addEventListener(kind, function (event) { event.stopPropagation(); });
      });
      return { mark: mark, cell: cell };
    });
    var foot = make("p", "", root);
    var first = button("«", foot, function () { page = 0; draw(); });
    var back = button("‹", foot, function () { page--; draw(); });
    var next = button("›", foot, function () { page++; draw(); });
    var last = button("»", foot, function () { page = Infinity; draw(); });
    var state = make("small", "", foot);
    var refresh = function () {
      var found = query(data, wanted, sorted, down);
      order = found.order;
      marks.forEach(function (made, c) {
        made.mark.textContent = c === sorted ? (down ? " ▼" : " ▲") : "";
        made.cell.setAttribute("aria-sort", c !== sorted ? "none" : down ? "descending" : "ascending");
      });
      code.textContent = found.code || "";
      copied.textContent = " ";
      statement.style.display = found.code === null ? "none" : "";
      page = 0;
      draw();
    };
    var draw = function () {
      var pages = Math.max(1, Math.ceil(order.length / data.page));
      page = Math.max(0, Math.min(page, pages - 1));
      body.textContent = "";
      order.slice(page * data.page, (page + 1) * data.page).forEach(function (row) {
        var line = make("tr", "", body);
        make("th", String(row), line);
        for (var c = 0; c < columns; c++) {
          var text = data.cells[c][row];
          var cell = make("td", text === null ? "" : text, line);
          cell.style.textAlign = data.numeric[c] ? "right" : "left";
          if (text === null) make("em", "null", cell).style.opacity = "0.6";
        }
      });
      first.disabled = back.disabled = page === 0;
      next.disabled = last.disabled = page === pages - 1;
      [first, back, next, last].forEach(function (node) { node.style.opacity = node.disabled ? "0.4" : "1"; });
      state.textContent = " page " + (page + 1) + " of " + pages + " · " + order.length + " of " + rows + " rows" +
        (data.note === "" ? "" : " (" + data.note + ")");
    };
    refresh();
  };
  var roots = document.querySelectorAll("#" + id);
  for (var i = 0; i < roots.length; i++) {
    if (roots[i].getAttribute("data-live") !== null) continue;
    roots[i].setAttribute("data-live", "");
    start(roots[i].firstElementChild);
  }
}`;

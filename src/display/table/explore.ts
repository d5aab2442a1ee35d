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

/**
 * The script that runs in the browser. It builds the live table out of text nodes only, so that no cell or name becomes
 * markup. Columns of numbers sort by number, others by text, nulls last; a filter `>5`, `<=2`, `=3`, `1..9` compares
 * numbers, anything else searches for the text, ignoring case.
 */
const EXPLORE_SCRIPT = String.raw`function (id, data) {
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
  var test = function (wanted, numeric) {
    var range = /^\s*(-?[\d.]+)\s*\.\.\s*(-?[\d.]+)\s*$/.exec(wanted);
    var sign = /^\s*(<=|>=|<|>|=)\s*(-?[\d.]+(?:e-?\d+)?)\s*$/i.exec(wanted);
    if (numeric && range) return function (text) { return text !== null && +text >= +range[1] && +text <= +range[2]; };
    if (numeric && sign) return function (text) {
      if (text === null) return false;
      var a = +text, b = +sign[2];
      return sign[1] === "<" ? a < b : sign[1] === ">" ? a > b : sign[1] === "<=" ? a <= b : sign[1] === ">=" ? a >= b : a === b;
    };
    var part = wanted.toLowerCase();
    return function (text) { return (text === null ? "null" : text).toLowerCase().indexOf(part) !== -1; };
  };
  var start = function (root) {
    var columns = data.names.length, rows = columns === 0 ? 0 : data.cells[0].length;
    var sorted = -1, down = false, page = 0, wanted = data.names.map(function () { return ""; }), order = [];
    root.textContent = "";
    var table = make("table", "", root);
    table.className = "dataframe";
    table.border = "1";
    var head = make("thead", "", table), body = make("tbody", "", table);
    var names = make("tr", "", head), types = make("tr", "", head), filters = make("tr", "", head);
    make("th", "", names); make("th", "", types); make("th", "", filters);
    var marks = data.names.map(function (name, c) {
      var cell = make("th", "", names);
      cell.style.cursor = "pointer";
      cell.style.textAlign = data.numeric[c] ? "right" : "left";
      cell.title = "sort";
      make("span", name, cell);
      var mark = make("span", "", cell);
      cell.onclick = function () {
        if (sorted !== c) { sorted = c; down = false; } else if (!down) down = true; else { sorted = -1; down = false; }
        refresh();
      };
      var type = make("th", "", types);
      type.style.textAlign = cell.style.textAlign;
      make("small", data.types[c], type);
      var input = make("input", "", make("th", "", filters));
      input.size = 8;
      quiet(input);
      input.placeholder = data.numeric[c] ? ">0, 1..9" : "filter";
      input.setAttribute("aria-label", "filter " + name);
      input.oninput = function () { wanted[c] = input.value; refresh(); };
      ["keydown", "keypress", "keyup"].forEach(function (kind) {
        input.addEventListener(kind, function (event) { event.stopPropagation(); });
      });
      return mark;
    });
    var foot = make("p", "", root);
    var first = button("«", foot, function () { page = 0; draw(); });
    var back = button("‹", foot, function () { page--; draw(); });
    var next = button("›", foot, function () { page++; draw(); });
    var last = button("»", foot, function () { page = Infinity; draw(); });
    var state = make("small", "", foot);
    var compare = function (a, b) {
      var x = data.cells[sorted][a], y = data.cells[sorted][b];
      if (x === null || y === null) return x === y ? a - b : x === null ? 1 : -1;
      var found = data.numeric[sorted] ? +x - +y : x < y ? -1 : x > y ? 1 : 0;
      return found === 0 || found !== found ? a - b : down ? -found : found;
    };
    var refresh = function () {
      var tests = wanted.map(function (text, c) { return text === "" ? null : test(text, data.numeric[c]); });
      order = [];
      for (var row = 0; row < rows; row++) {
        if (tests.every(function (passes, c) { return passes === null || passes(data.cells[c][row]); })) order.push(row);
      }
      if (sorted !== -1) order.sort(compare);
      marks.forEach(function (mark, c) { mark.textContent = c === sorted ? (down ? " ▼" : " ▲") : ""; });
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

import { LIVE_MODULE } from "../base/live-module.js";

/**
 * The module of a live table in the page. It shows the rows that the kernel sends, as text nodes, and sends back
 * filters, sort and page. A reply to an earlier request is ignored.
 */
export const LIVE_TABLE_MODULE = String.raw`${LIVE_MODULE}
const TYPING_MS = 150;
const PATIENCE_MS = 500;
const grouped = (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

const initialize = ({ model }) => {
  const columns = model.get("columns");
  const size = model.get("size");
  const total = model.get("total");
  const query = { filters: columns.map(() => ""), sort: null, first: 0 };
  const summaries = new Map();
  const asked = new Set();
  let seq = 0;
  let reply = null;
  let isLate = false;
  let typing;
  let patience;
  let views;

  const request = (first) => {
    clearTimeout(typing);
    clearTimeout(patience);
    query.first = first;
    seq++;
    model.send({ kind: "page", seq, ...query });
    patience = setTimeout(() => {
      isLate = true;
      views?.update();
    }, PATIENCE_MS);
  };

  const sortBy = (column) => {
    const { sort } = query;
    if (sort?.column !== column) query.sort = { column, descending: false };
    else query.sort = sort.descending ? null : { column, descending: true };
    request(0);
  };

  const NS = "http://www.w3.org/2000/svg";
  const drawing = (bars, label) => {
    const svg = document.createElementNS(NS, "svg");
    const attributes = { width: bars.length * 5, height: bars.length === 0 ? 0 : 24, role: "img", "aria-label": label };
    for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
    bars.forEach((share, at) => {
      const bar = document.createElementNS(NS, "rect");
      const height = share === 0 ? 0 : Math.max(1, share * 24);
      for (const [name, value] of Object.entries({ x: at * 5, y: 24 - height, width: 4, height })) {
        bar.setAttribute(name, value);
      }
      svg.append(bar);
    });
    return svg;
  };

  const copy = async (text, node) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // A page that is not secure has no clipboard.
      getSelection().selectAllChildren(node);
      document.execCommand("copy");
    }
  };

  const build = (root) => {
    const bar = make("div", root, "", "arrowbook-bar");
    const state = make("span", bar, "", "arrowbook-state");
    const button = (text, title, first) => {
      const node = make("button", bar, text);
      node.type = "button";
      node.title = title;
      node.onclick = () => request(Math.max(0, first()));
      return node;
    };
    const end = () => Math.floor(Math.max(0, reply.matching - 1) / size) * size;
    const start = button("«", "first page", () => 0);
    const back = button("‹", "previous page", () => reply.first - size);
    const place = make("span", bar);
    const next = button("›", "next page", () => reply.first + size);
    const last = button("»", "last page", end);
    const statement = make("div", root, "", "arrowbook-code");
    statement.hidden = true;
    const code = make("code", statement);
    const copied = make("span", statement);
    copied.setAttribute("role", "status");
    const copier = make("button", statement, "copy");
    copier.type = "button";
    copier.title = "copy the statement that gives these rows of frame";
    copier.onclick = async () => {
      await copy(code.textContent, code);
      copied.textContent = "copied";
    };
    const box = make("div", root, "", "arrowbook-rows");
    const table = make("table", box, "", "dataframe");
    const head = make("thead", table);
    const body = make("tbody", table);
    const [names, types, pictures, filters] = Array.from({ length: 4 }, () => make("tr", head));
    for (const row of [names, types, pictures, filters]) make("th", row);
    const className = ({ numeric }) => (numeric ? "arrowbook-number" : "");
    const fields = columns.map((column, at) => {
      const name = make("th", names, "", className(column));
      name.title = "sort";
      name.tabIndex = 0;
      name.onclick = () => sortBy(at);
      name.onkeydown = (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        sortBy(at);
      };
      make("span", name, column.name);
      const mark = make("span", name);
      make("small", make("th", types, "", className(column)), column.type);
      const picture = make("th", pictures, "", ("arrowbook-summary " + className(column)).trim());
      const input = make("input", make("th", filters));
      input.placeholder = column.example;
      input.setAttribute("aria-label", "filter " + column.name);
      input.value = query.filters[at];
      input.oninput = () => {
        query.filters[at] = input.value;
        clearTimeout(typing);
        typing = setTimeout(() => request(0), TYPING_MS);
      };
      return { input, mark, name, picture, summary: null };
    });
    let drawn = null;

    // Columns that are in view, once there are rows.
    const seen = new IntersectionObserver((entries) => {
      const columns = entries
        .filter(({ isIntersecting }) => isIntersecting)
        .map(({ target }) => fields.findIndex(({ picture }) => picture === target))
        .filter((at) => !asked.has(at));
      for (const at of columns) asked.add(at);
      if (columns.length > 0) model.send({ kind: "summary", columns });
    });
    const observe = () => {
      for (const { picture } of fields) seen.observe(picture);
    };

    const update = () => {
      fields.forEach((field, at) => {
        const { mark, input, name, picture } = field;
        const { sort } = query;
        const order = sort?.column === at ? (sort.descending ? "descending" : "ascending") : "none";
        name.setAttribute("aria-sort", order);
        mark.textContent = { ascending: " ▲", descending: " ▼", none: "" }[order];
        const summary = summaries.get(at);
        if (summary !== undefined && summary !== field.summary) {
          field.summary = summary;
          picture.title = summary.label;
          picture.replaceChildren(drawing(summary.bars, summary.label));
          for (const line of summary.lines) make("div", picture, line).setAttribute("aria-hidden", "true");
        }
        const fault = reply?.faults[at];
        input.classList.toggle("arrowbook-refused", fault !== undefined);
        input.title = fault ?? "";
        if (input.value !== query.filters[at]) input.value = query.filters[at];
      });
      for (const node of [start, back]) node.disabled = reply === null || reply.first === 0;
      for (const node of [next, last]) node.disabled = reply === null || reply.first + size >= reply.matching;
      const fault = Object.values(reply?.faults ?? {})[0];
      const isFiltered = reply !== null && reply.matching < total;
      state.classList.toggle("arrowbook-fault", fault !== undefined && !isLate);
      if (isLate) state.textContent = "waiting for the kernel…";
      else if (fault !== undefined) state.textContent = fault;
      else if (reply !== null) state.textContent = (isFiltered ? grouped(reply.matching) + " of " : "") + grouped(total) + " rows";
      box.style.opacity = isLate ? "0.6" : "";
      if (reply === null || reply === drawn) return;
      if (drawn === null) requestAnimationFrame(() => setTimeout(observe));
      if (code.textContent !== (reply.code ?? "")) copied.textContent = "";
      code.textContent = reply.code ?? "";
      statement.hidden = reply.code === null;
      if (drawn !== null && drawn.first !== reply.first) box.scrollTop = 0;
      drawn = reply;
      const count = reply.numbers.length;
      place.textContent = count === 0 ? "no rows" : "rows " + grouped(reply.first + 1) + "–" + grouped(reply.first + count);
      const rows = document.createDocumentFragment();
      for (let row = 0; row < count; row++) {
        const line = make("tr", rows);
        make("th", line, String(reply.numbers[row]));
        columns.forEach((column, at) => {
          const text = reply.cells[at][row];
          const cell = make("td", line, text ?? "", className(column));
          if (text === null) make("em", cell, "null");
        });
      }
      body.replaceChildren(rows);
    };
    update();
    return update;
  };

  model.on("msg:custom", (message) => {
    if (message?.kind === "summary") {
      summaries.set(message.column, message.summary);
      views.update();
    }
    if (message?.kind !== "rows" || message.seq !== seq) return;
    clearTimeout(patience);
    isLate = false;
    reply = message;
    query.first = reply.first;
    views.update();
  });
  views = live(model, build);
  request(0);
  return () => {
    clearTimeout(typing);
    clearTimeout(patience);
    views.stop();
  };
};

export default { initialize };
`;

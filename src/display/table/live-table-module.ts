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
    const box = make("div", root, "", "arrowbook-rows");
    const table = make("table", box, "", "dataframe");
    const head = make("thead", table);
    const body = make("tbody", table);
    const [names, types, filters] = [make("tr", head), make("tr", head), make("tr", head)];
    for (const row of [names, types, filters]) make("th", row);
    const className = ({ numeric }) => (numeric ? "arrowbook-number" : "");
    const fields = columns.map((column, at) => {
      const name = make("th", names, "", className(column));
      name.title = "sort";
      name.onclick = () => sortBy(at);
      make("span", name, column.name);
      const mark = make("span", name);
      make("small", make("th", types, "", className(column)), column.type);
      const input = make("input", make("th", filters));
      input.placeholder = column.example;
      input.setAttribute("aria-label", "filter " + column.name);
      input.value = query.filters[at];
      input.oninput = () => {
        query.filters[at] = input.value;
        clearTimeout(typing);
        typing = setTimeout(() => request(0), TYPING_MS);
      };
      return { input, mark };
    });
    let drawn = null;

    const update = () => {
      fields.forEach(({ mark, input }, at) => {
        const { sort } = query;
        mark.textContent = sort?.column === at ? (sort.descending ? " ▼" : " ▲") : "";
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

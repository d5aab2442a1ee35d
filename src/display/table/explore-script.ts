/**
 * The script that runs in the browser. It builds the live table out of text nodes only, so that no cell or name becomes
 * markup. Columns of numbers sort by number, others by text, nulls last; a filter `>5`, `<=2`, `=3`, `1..9` compares
 * numbers, anything else searches for the text, ignoring case.
 */
export const EXPLORE_SCRIPT = String.raw`function (id, data) {
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

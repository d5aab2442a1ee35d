import { DataType } from "../../columns/arrow/arrow.js";
import { columnType } from "../../columns/arrow/types.js";
import { isText } from "../../columns/compute/texts.js";

/** How the script compares the texts of a column; it writes no statement for those of `other`. */
export type PageKind = "exact" | "double" | "single" | "time" | "text" | "truth" | "other";

export function pageKind(type: DataType): PageKind {
  const { scale } = columnType(type);
  if (DataType.isFloat(type)) return type.precision === 2 ? "double" : type.precision === 1 ? "single" : "other";
  if (scale !== "text") return scale === "number" ? "exact" : "time";
  return isText(type) ? "text" : DataType.isBool(type) ? "truth" : "other";
}

/**
 * The part of the script that selects rows: a function of `data` (`names`, `kinds`, `cells`, `cut`: whether cells were
 * cut; `total`: rows of the frame), the filters, the column sorted by or -1, and the direction. It returns the numbers
 * of the rows and the statement that gives them of a frame named `frame`, or null. Numbers compare exactly, text by
 * code point; null and NaN pass no filter but `null`, and are last.
 */
export const PAGE_QUERY = String.raw`function (data, wanted, sorted, down) {
  var digits = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;
  var parts = function (text) {
    var found = digits.exec(text), all = found[2] + (found[3] || ""), point = found[2].length + Number(found[4] || 0);
    while (point < 0) { all = "0" + all; point++; }
    while (all.length < point) all += "0";
    return { minus: found[1] !== "", whole: all.slice(0, point).replace(/^0+/, ""), rest: all.slice(point).replace(/0+$/, "") };
  };
  var units = function (a, b) {
    if (!digits.test(a) || !digits.test(b)) return 0;
    var x = parts(a), y = parts(b), sign = x.minus ? -1 : 1;
    if (x.whole.length !== y.whole.length) return sign * (x.whole.length - y.whole.length);
    var left = x.whole + x.rest, right = y.whole + y.rest;
    return left < right ? -sign : left > right ? sign : 0;
  };
  var isNumeric = function (c) { return data.kinds[c] === "exact" || data.kinds[c] === "double" || data.kinds[c] === "single"; };
  var number = function (c, text) { return data.kinds[c] === "single" ? Math.fround(+text) : +text; };
  // Equal doubles of exact numbers may be different numbers.
  var against = function (c, text, limit) {
    var a = number(c, text), b = +limit;
    return a < b ? -1 : a > b ? 1 : data.kinds[c] === "exact" ? units(text, limit) : 0;
  };
  var points = function (a, b) {
    for (var i = 0; i < a.length && i < b.length; i++) {
      var x = a.charCodeAt(i), y = b.charCodeAt(i);
      if (x === y) continue;
      // Halves of a pair are code points above all others.
      if (x >= 0xd800 && y >= 0xd800) { x = x >= 0xe000 ? x - 0x800 : x + 0x2000; y = y >= 0xe000 ? y - 0x800 : y + 0x2000; }
      return x - y;
    }
    return a.length - b.length;
  };
  var isMissing = function (c, text) { return text === null || (text === "NaN" && isNumeric(c)); };
  var literal = function (c, text) {
    return isNumeric(c) && String(Number(text)) === text && Math.abs(text) < 1e15 ? text : JSON.stringify(text);
  };
  var methods = { "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "=": "eq", "!=": "ne" };
  var value = "(-?\\d+(?:\\.\\d*)?(?:e[+-]?\\d{1,3})?)";
  var range = new RegExp("^" + value + "\\s*\\.\\.\\s*" + value + "$", "i");
  var sign = new RegExp("^(<=|>=|!=|<|>|=)\\s*" + value + "$", "i");
  /* What a text must meet, and the calls on a column that select the same; undefined while a filter is typed. */
  var condition = function (c, filter) {
    var found;
    if (filter === "" || (isNumeric(c) && /^([<>!]?=|<|>)$/.test(filter))) return undefined;
    if (/^!?null$/i.test(filter)) {
      var isNull = filter.charAt(0) !== "!";
      return { passes: function (text) { return isMissing(c, text) === isNull; }, code: isNull ? ".isNull()" : ".isNull().not()" };
    }
    if (isNumeric(c) && (found = range.exec(filter))) {
      var low = found[1], high = found[2];
      return {
        passes: function (text) { return !isMissing(c, text) && against(c, text, low) >= 0 && against(c, text, high) <= 0; },
        code: ".between(" + literal(c, low) + ", " + literal(c, high) + ")"
      };
    }
    if (isNumeric(c) && (found = sign.exec(filter))) {
      var how = methods[found[1]], limit = found[2];
      return {
        passes: function (text) {
          if (isMissing(c, text)) return false;
          var order = against(c, text, limit);
          return how === "lt" ? order < 0 : how === "le" ? order <= 0 : how === "gt" ? order > 0 : how === "ge" ? order >= 0 : how === "eq" ? order === 0 : order !== 0;
        },
        code: "." + how + "(" + literal(c, limit) + ")"
      };
    }
    var part = filter.toLowerCase();
    return {
      passes: function (text) { return !isMissing(c, text) && text.toLowerCase().indexOf(part) !== -1; },
      code: (data.kinds[c] === "text" ? "" : ".cast(\"String\")") + ".lower().contains(" + JSON.stringify(part) + ")"
    };
  };
  var compare = function (a, b) {
    var x = data.cells[sorted][a], y = data.cells[sorted][b];
    var isFirst = isMissing(sorted, x), isSecond = isMissing(sorted, y);
    if (isFirst || isSecond) return isFirst === isSecond ? a - b : isFirst ? 1 : -1;
    var kind = data.kinds[sorted];
    var order = isNumeric(sorted) ? against(sorted, x, y) : kind === "time" ? points(x.replace(/Z$/, ""), y.replace(/Z$/, "")) : points(x, y);
    return order === 0 ? a - b : down ? -order : order;
  };
  var rows = data.names.length === 0 ? 0 : data.cells[0].length, used = sorted === -1 ? [] : [sorted], order = [];
  var conditions = [];
  for (var c = 0; c < data.names.length; c++) {
    var made = condition(c, wanted[c].trim());
    if (made === undefined) continue;
    used.push(c);
    conditions.push({ column: c, passes: made.passes, code: made.code });
  }
  for (var row = 0; row < rows; row++) {
    if (conditions.every(function (one) { return one.passes(data.cells[one.column][row]); })) order.push(row);
  }
  if (sorted !== -1) order.sort(compare);
  var isStated = used.length > 0 && used.every(function (c) {
    return data.kinds[c] !== "other" && !data.cut[c] && data.names.indexOf(data.names[c]) === data.names.lastIndexOf(data.names[c]);
  });
  var name = rows < data.total ? "first" : "frame";
  var code = (name === "first" ? "const first = frame.head(" + rows + ");\n" : "") + name;
  conditions.forEach(function (one, i) {
    var test = name + ".column(" + JSON.stringify(data.names[one.column]) + ")" + one.code;
    code += (i === 0 ? ".filter(" : ".and(") + test + (i === 0 ? "" : ")");
  });
  if (conditions.length > 0) code += ")";
  if (sorted !== -1) code += ".sort(" + (down ? "[" + JSON.stringify(data.names[sorted]) + ", \"desc\"]" : JSON.stringify(data.names[sorted])) + ")";
  return { order: order, code: isStated ? code : null };
}`;

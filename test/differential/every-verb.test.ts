import { expect, it } from "vitest";
import { Column, Frame } from "../../src/index.js";
import { CHECKS } from "./checks.js";

/* A method that computes has a check; what has none says where it is compared. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  constructor: "from",
  table: "from",
  key: "test/frame/key",
  numRows: "columns",
  numColumns: "columns",
  shape: "columns",
  nbytes: "sizes, not cells",
  merge: "refused: align and join",
  like: "internal: the origin of rows",
  computed: "internal: the origin of rows",
  over: "internal: the origin of rows",
  missingSessions: "test/series/sessions",
  drawdowns: "test/series/drawdowns",
  adjust: "test/series/adjust",
  toIPC: "fromArrow",
  toArrow: "fromArrow",
  toCSV: "fromCSV",
  toJSONLines: "fromJSONLines",
  toParquet: "fromParquet",
  toExcel: "test/frame/excel",
  fromExcel: "test/frame/excel",
  fromZip: "test/zip",
  fromJSON: "test/format",
  fromDanfo: "test/frame/danfo",
  toDanfo: "test/frame/danfo",
  toJSON: "toArray",
  plot: "test/display",
  tearSheet: "test/display",
  explore: "test/display",
  toHTML: "test/display",
  toString: "test/display",
  length: "columns",
  nullCount: "info",
  arrowType: "from",
};

const own = (target: object): string[] =>
  Object.entries(Object.getOwnPropertyDescriptors(target))
    .filter(([name]) => name !== "name" && name !== "prototype")
    .map(([name]) => name);

/** All members of a class and of those it extends. */
function membersOf(type: { readonly prototype: object }): string[] {
  const found = new Set<string>();
  for (let at = type.prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of own(at)) found.add(name);
  }
  return [...found];
}

const checked = new Set(Object.keys(CHECKS).flatMap((name) => [name, name.split(".")[0]]));

it("every method of a frame is compared", () => {
  const names = [...membersOf(Frame), ...own(Frame)];
  expect(names.filter((name) => !checked.has(name) && ELSEWHERE[name] === undefined)).toEqual([]);
});

it("every method of a column is compared", () => {
  const missing = membersOf(Column).filter((name) => !checked.has(`column.${name}`) && ELSEWHERE[name] === undefined);
  expect(missing).toEqual([]);
});

import { describe, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import { isWhole } from "../support/whole.js";
import { folderOf, get, started, tableEntry } from "./support.js";

const ROWS = 3_000;
const DAY_MS = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();

/** Row `i` of each column; the key is in no order, so that rows in another order than that of the file show. */
const CELLS = {
  id: (i: number) => String((i * 7919) % ROWS),
  text: (i: number) => `it's \\ ${i % 977}`,
  price: (i: number) => ((i % 1_009) / 8).toFixed(4),
  day: (i: number) => iso(DAY_MS * (18_000 + (i % 811))).slice(0, 10),
  at: (i: number) => iso(1_700_000_000_000 + 1_000 * (i % 773)).replace(".000Z", "Z"),
  double: (i: number) => (i % 599 === 0 ? (i % 2 === 0 ? "-0.0" : "0.0") : String((i % 599) / 7)),
} as const;
type Column = keyof typeof CELLS;
const TYPES: Readonly<Record<Column, string>> = {
  id: "Integer",
  text: "String",
  price: "BigDecimal(15,4)",
  day: "Date",
  at: "DateTime",
  double: "double",
};
const names = Object.keys(CELLS) as Column[];
const lines = Array.from({ length: ROWS }, (_, i) => names.map((name) => CELLS[name](i)));
const folder = folderOf({
  "catalog.json": {
    tables: [tableEntry("V/T", TYPES, { filters: names })],
  },
  // One more row without values.
  "t.csv": `${names.join(",")}\n${lines.map((cells) => cells.join(",")).join("\n")}\n,,,,,\n`,
});
const service = await started({ data: folder, profile: "nasdaqDataLink" });

/** The rows of a query that is sent as a POST, page by page. */
async function found(query: object): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const path = `/datatables/V/T.csv?qopts.columns=id&qopts.per_page=700${cursor && `&qopts.cursor_id=${cursor}`}`;
    const init = { method: "POST", body: JSON.stringify(query), headers: { "content-type": "application/json" } };
    const reply = await get(service, path, init);
    expect(reply.status, reply.text.slice(0, 300)).toBe(200);
    ids.push(...reply.text.split("\n").slice(1, -1));
    cursor = reply.headers.get("cursor_id") || null;
  }
  return ids;
}

const idsWhere = (column: Column, values: ReadonlySet<string>): string[] =>
  lines.filter((cells) => values.has(cells[names.indexOf(column)])).map(([id]) => id);

/** A body of at most 1 MB. */ const MANY = isWhole ? 50_000 : 5_000;
describe("a list of very many values", () => {
  /** Values that no row has. */
  const OTHERS: Readonly<Record<Column, (i: number) => string>> = {
    id: (i) => String(ROWS + i * 104_729),
    text: (i) => `none ${i}`,
    price: (i) => String(1_000 + i),
    day: (i) => iso(DAY_MS * (20_000 + i)).slice(0, 10),
    at: (i) => iso(1_600_000_000_000 + 1_000 * i).replace(".000Z", "Z"),
    double: (i) => String(1_000 + i / 3),
  };

  it.each(names)("of the column %s finds the rows that have one of them, in their order", async (column) => {
    const some = lines.filter((_, i) => i % 5 < 2).map((cells) => cells[names.indexOf(column)]);

    const others = Array.from({ length: column === "at" ? MANY * 0.8 : MANY }, (_, i) => OTHERS[column](i));
    const values = [...others.slice(0, MANY / 2), ...some, ...others.slice(MANY / 2)];
    const expected = idsWhere(column, new Set(column === "double" ? [...some, "0.0", "-0.0"] : some));
    expect(expected.length).toBeGreaterThan(ROWS / 3);
    expect(await found({ [column]: values })).toEqual(expected);
  });

  it("beside other filters", async () => {
    const numbers = Array.from({ length: MANY }, (_, i) => i * 2);
    const texts = Array.from({ length: 5_000 }, (_, i) => `it's \\ ${i * 3}`);
    const query = { id: numbers, text: texts, day: { gte: iso(DAY_MS * 18_200).slice(0, 10) } };
    const expected = lines
      .filter(([id, text, , day]) => Number(id) % 2 === 0 && Number(text.slice(7)) % 3 === 0 && day >= query.day.gte)
      .map(([id]) => id);
    expect(expected.length).toBeGreaterThan(100);
    expect(await found(query)).toEqual(expected);
  });

  it("with a value that is not of the column's type is refused", async () => {
    const values = [...Array.from({ length: MANY }, (_, i) => i), "x1"];
    const init = {
      method: "POST",
      body: JSON.stringify({ id: values }),
      headers: { "content-type": "application/json" },
    };
    const reply = await get(service, "/datatables/V/T.json", init);
    expect([reply.status, reply.text]).toEqual([422, expect.stringContaining('\\"x1\\" is not a valid whole number')]);
  });
});

describe("a list of values", () => {
  it.each([
    ["id", ["5", "+7", "05", "9999999999999999999", "-9999999999999999999", "5.5", "6.0"], ["5", "7", "6"]],
    ["price", ["1.5", "1.50000", "2.00001", "99999999999.99999", "12345678901234567890", "-1"], ["1.5000"]],
    ["price", ["1.00001", "123456789012345678901"], []],
    ["day", ["2019-05-01", "0001-01-01", "9999-12-31"], ["2019-05-01"]],
    [
      "at",
      ["2023-11-14T22:13:21Z", "2023-11-14T22:13:22.000Z", "0001-01-01", "9999-12-31T00:00:00Z"],
      ["2023-11-14T22:13:21Z", "2023-11-14T22:13:22Z"],
    ],
    ["double", ["0", "1e0", "1e308"], ["0.0", "-0.0", "1"]],
    ["text", ["it's \\ 3", "it's \\ 3 ", "IT'S \\ 3", "\u0000", "{p1:String}", "$1", "?"], ["it's \\ 3"]],
  ] as const)("of the column %s compares as one value does: %j", async (column, values, cells) => {
    // Few values, and so many that they are one list on every engine.
    const more = Array.from({ length: 300 }, (_, i) => (column === "text" ? `x${i}` : undefined)).filter(Boolean);
    const expected = idsWhere(column, new Set<string>(cells));
    expect(await found({ [column]: values })).toEqual(expected);
    expect(await found({ [column]: [...values, ...more] })).toEqual(expected);
  });

  it("in an export comes in the order of the rows", async () => {
    const client = connect({ url: service.url, apiKey: "sample", profile: "nasdaqDataLink" });
    const ids = Array.from({ length: 400 }, (_, i) => String(i * 7));
    const frame = await client.table("V/T").where({ id: ids }).select("id").export().frame();
    expect(frame.column("id").toStrings()).toEqual(idsWhere("id", new Set(ids)));
  });
});

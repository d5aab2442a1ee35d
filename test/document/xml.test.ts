import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readDocument } from "../../src/document/document.js";
import { writeDocument } from "../../src/document/write.js";
import { nasdaqDataLink, specification } from "../../src/spec/profile.js";
import type { ResourceName } from "../../src/spec/resources.js";
import { cases } from "../cases.js";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = <R extends ResourceName>(resource: R, text: string) =>
  readDocument(resource, "xml", bytesOf(text), specification);
const wrap = (inner: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><service-response>${inner}</service-response>`;
const table = (data: string, columns = "", cursor = '<next-cursor-id nil="true"/>'): string =>
  wrap(
    `<datatable><data type="array">${data}</data><columns type="array">${columns}</columns></datatable><meta>${cursor}</meta>`,
  );
const rowsOf = async (text: string): Promise<(readonly (string | null)[])[]> => {
  const { rows } = await read("tableRows", text);
  if (rows?.kind !== "texts") throw new Error("no text rows");
  return [...rows.rows];
};

describe("XML rows (spec 1, 2.6)", () => {
  it.each([
    ["no rows", "", []],
    [
      "a row",
      '<datum type="array"><datum type="date">2020-01-01</datum><datum type="float">1.50</datum></datum>',
      [["2020-01-01", "1.50"]],
    ],
    [
      "null and empty text",
      '<datum type="array"><datum nil="true"/><datum/><datum></datum><datum nil="true"></datum></datum>',
      [[null, "", "", null]],
    ],
    [
      "white space kept in cells, not between",
      "\n <datum>\n  <datum>  a </datum>\n  <datum> </datum>\n </datum>\n",
      [["  a ", " "]],
    ],
    [
      "entities once",
      "<datum><datum>&amp;lt; &lt;b&gt; &#233; &#x1F642; &apos;&quot;</datum></datum>",
      [["&lt; <b> é 🙂 '\""]],
    ],
    [
      "sections and comments",
      "<!-- x --><datum><!-- y --><datum>a<![CDATA[<b>&amp;]]><!-- z -->c</datum></datum>",
      [["a<b>&amp;c"]],
    ],
    ["> in an attribute", '<datum><datum note="a>b" nil="true"/><datum note="x>y">1</datum></datum>', [[null, "1"]]],
    [
      "numbers as they are written",
      "<datum><datum>0010</datum><datum>1.50</datum><datum>1e400</datum><datum>true</datum></datum>",
      [["0010", "1.50", "1e400", "true"]],
    ],
    ["an empty row", '<datum type="array"/>', [[]]],
  ])("%s", async (_, data, expected) => {
    expect(await rowsOf(table(data))).toEqual(expected);
  });

  it.each([
    ["null that holds text", '<datum><datum nil="true">x</datum></datum>'],
    ["an element in a cell", "<datum><datum><b>x</b></datum></datum>"],
    ["text between cells", "<datum>x<datum>1</datum></datum>"],
    ["an undefined entity", "<datum><datum>&nbsp;</datum></datum>"],
  ])("%s is refused", async (_, data) => {
    await expect(rowsOf(table(data))).rejects.toMatchObject({ name: "DataError", code: "BadXml" });
  });
});

describe("documents that are refused", () => {
  it.each([
    ["BadXml", `<!DOCTYPE service-response [<!ENTITY a "b">]>${wrap("")}`],
    ["BadXml", wrap("<![CDATA[<!DOCTYPE x>]]>")],
    ["BadXml", wrap("<a>")],
    ["BadXml", `${wrap("")}<a/>`],
    ["BadXml", wrap("").replace("UTF-8", "ISO-8859-1")],
    ["BadXml", wrap("<constructor/>")],
    ["UnexpectedShape", "<other/>"],
    ["UnexpectedShape", wrap("<dataset/>")],
    ["UnexpectedShape", wrap('<datatable><data type="array"/></datatable><meta/>')],
    ["UnexpectedShape", wrap('<datatable><data/><data/><columns type="array"/></datatable><meta/>')],
    ["UnexpectedShape", wrap('<datatable><data nil="true"/><columns type="array"/></datatable><meta/>')],
    ["UnexpectedShape", table("", "", '<next-cursor-id nil="true">x</next-cursor-id>')],
    ["UnexpectedContent", "<html><body>Login</body></html>"],
    ["UnexpectedContent", '{"datatable":{}}'],
    ["QECx02", wrap("<error><code>QECx02</code><message>No &lt;such&gt; table</message></error>")],
  ])("%s: %s", async (code, text) => {
    await expect(read("tableRows", text)).rejects.toMatchObject({ code });
  });

  it("spec 1: the root of another profile is refused with that profile's name", async () => {
    const other = table("").replaceAll("service-response", "quandl-response");
    await expect(read("tableRows", other)).rejects.toMatchObject({ hint: expect.stringContaining("nasdaqDataLink") });
    await expect(readDocument("tableRows", "xml", bytesOf(other), nasdaqDataLink)).resolves.toMatchObject({
      fields: { next_cursor_id: null },
    });
  });

  it("a reply cut anywhere is refused", async () => {
    const whole = table("<datum><datum>1</datum></datum>", "<column><name>a&amp;b</name><type>String</type></column>");
    for (let end = 1; end < whole.length; end++) {
      await expect(read("tableRows", whole.slice(0, end)), `cut at ${end}`).rejects.toMatchObject({
        name: "DataError",
      });
    }
  });
});

it("spec 2.4: datasets_count keeps its underscore in XML; the hyphened name is read too", async () => {
  const fields = {
    id: 1,
    name: "A",
    database_code: "A",
    description: null,
    datasets_count: 3,
    downloads: 0,
    premium: false,
    image: null,
  };
  const text = [...writeDocument("databaseMetadata", "xml", { fields }, specification)].join("");
  expect(text).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<service-response><database><id type="integer">1</id><name>A</name><database-code>A</database-code>' +
      '<description nil="true"/><datasets_count type="integer">3</datasets_count><downloads type="integer">0</downloads>' +
      '<premium type="boolean">false</premium><image nil="true"/></database></service-response>\n',
  );
  const hyphened = text.replaceAll("datasets_count", "datasets-count");
  expect((await read("databaseMetadata", hyphened)).fields).toEqual(fields);
});

describe("naughty strings", () => {
  const file = cases("naughty-strings/blns.json");
  const own = [
    "",
    " ",
    "\r\n",
    "\u0001\u0008\u000b\u001f\u007f\u0085\u2028",
    "]]>",
    "&#1;",
    "\ufeffx",
    "null",
    "1.50",
    '"',
    "a,b",
    "<!DOCTYPE x>",
  ];
  const strings = existsSync(file) ? [...own, ...(JSON.parse(readFileSync(file, "utf8")) as string[])] : own;

  it.each(["json", "xml"] as const)("as names, cells and metadata come back equal through %s", async (format) => {
    // U+FFFE is not a character of XML 1.0 or 1.1; writing it is refused (below).
    const given = format === "xml" ? strings.filter((text) => !text.includes("\ufffe")) : strings;
    const columns = given.map((name) => ({ name, type: "String" }));
    const fields = { columns, next_cursor_id: given.join("\n") };
    const rows = { columns, rows: [given, given.map(() => null)] };
    const text = [...writeDocument("tableRows", format, { fields, rows }, specification)].join("");
    const document = await readDocument("tableRows", format, bytesOf(text), specification);
    expect(document.fields).toEqual(fields);
    const read = document.rows;
    if (read?.kind === "texts") expect([...read.rows]).toEqual(rows.rows);
    else if (read?.kind === "json") {
      const json = new TextDecoder().decode(read.bytes.subarray(read.start, read.end));
      expect(JSON.parse(json)).toEqual(rows.rows);
    }
  });

  it("as metadata come back equal through CSV", async () => {
    for (const name of strings) {
      const fields = { ...databaseFields, name, description: name };
      const text = [...writeDocument("databaseMetadata", "csv", { fields }, specification)].join("");
      expect((await readDocument("databaseMetadata", "csv", bytesOf(text), specification)).fields).toEqual(fields);
    }
  });

  it("what XML cannot hold is refused when writing", () => {
    for (const name of ["\0", "\ud800", "\uffff"]) {
      const write = () => [
        ...writeDocument("databaseMetadata", "xml", { fields: { ...databaseFields, name } }, specification),
      ];
      expect(write).toThrow(expect.objectContaining({ code: "NotInXml" }));
    }
  });
});

const databaseFields = {
  id: 1,
  name: "A",
  database_code: "A",
  description: null,
  datasets_count: 3,
  downloads: 0,
  premium: false,
  image: null,
};

it("10,000 × 10 rows are read one at a time", async () => {
  const columns = Array.from({ length: 10 }, (_, i) => ({
    name: `c${i}`,
    type: i === 0 ? "Date" : "BigDecimal(15,4)",
  }));
  const row = ["2020-01-01", ...Array.from({ length: 9 }, (_, i) => `${i * 1234}.5678`)];
  const rows = { columns, rows: Array.from({ length: 10_000 }, () => row) };
  const pieces = [
    ...writeDocument("tableRows", "xml", { fields: { columns, next_cursor_id: null }, rows }, specification),
  ];
  expect(pieces.length).toBeGreaterThan(30);
  const document = await read("tableRows", pieces.join(""));
  let count = 0;
  if (document.rows?.kind === "texts") for (const cells of document.rows.rows) count += cells.length;
  expect(count).toBe(100_000);
});

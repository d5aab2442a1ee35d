import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readDocument } from "../../src/document/document.js";
import { parseXML } from "../../src/format/xml/tree.js";
import { nasdaqDataLink, specification } from "../../src/spec/profile.js";
import type { ResourceName } from "../../src/spec/resources.js";
import { cases } from "../cases.js";
import { goldenReplies } from "./replies.js";
import { writtenText } from "./written.js";
import { xmlRowTexts } from "./xml-row-texts.js";

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
  if (rows?.kind !== "xml") throw new Error("no XML rows");
  return [...xmlRowTexts(rows)];
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
    ["a quote in a value", `<datum><datum x='"'>a</datum></datum><datum><datum>b</datum></datum>`, [["a"], ["b"]]],
    ["an attribute inside a value", `<datum><datum note=' nil="true"'/></datum>`, [[""]]],
    [
      "an attribute of another name",
      '<datum><datum xnil="true"/><datum x:nil="true"/><datum NIL="true"/></datum>',
      [["", "", ""]],
    ],
    [">, then nil", `<datum><datum x='>' nil="true"/></datum>`, [[null]]],
    [
      "nil in every spelling",
      `<datum><datum nil='true'/><datum\n\tnil = "true" /><datum nil="&#116;rue"/><datum nil="1"/><datum xsi:nil="true"/></datum>`,
      [[null, null, null, null, null]],
    ],
    ["nil that is false", '<datum><datum nil="false">a</datum><datum nil="0"/></datum>', [["a", ""]]],
    ["white space in a null cell", '<datum><datum nil="true">\n </datum></datum>', [[null]]],
    ["line ends", "<datum><datum>a\r\nb\rc&#13;<![CDATA[\r\n]]></datum></datum>", [["a\nb\nc\r\n"]]],
    ["instructions and empty sections", "<datum><datum>a<?p '?>b<![CDATA[]]></datum></datum>", [["ab"]]],
    ["]] and > in text", "<datum><datum>a]]b]>c></datum></datum>", [["a]]b]>c>"]]],
    ["cells of other names", "<row><é.1/><constructor>1</constructor></row>", [["", "1"]]],
  ])("%s", async (_, data, expected) => {
    expect(await rowsOf(table(data))).toEqual(expected);
  });

  it.each([
    ["null that holds text", '<datum><datum nil="true">x</datum></datum>'],
    ["an element in a cell", "<datum><datum><b>x</b></datum></datum>"],
    ["text between cells", "<datum>x<datum>1</datum></datum>"],
    ["an undefined entity", "<datum><datum>&nbsp;</datum></datum>"],
    ["a nil that is neither true nor false", '<datum><datum nil="yes"/></datum>'],
    ["a section between cells", "<datum><![CDATA[x]]><datum>1</datum></datum>"],
  ])("%s is refused", async (_, data) => {
    await expect(rowsOf(table(data))).rejects.toMatchObject({ name: "DataError", code: "BadXml" });
  });
});

describe("documents that are not well-formed are refused, with the byte (XML 1.0, fifth edition, and 1.1)", () => {
  const cell = (text: string): string => table(`<datum><datum>${text}</datum></datum>`);
  const whole = cell("a");

  it.each([
    ["a section after the root", `${whole}<![CDATA[x]]>`],
    ["text after the root", `${whole}x`],
    ["text before the root", whole.replace("<service", "x<service")],
    ["a second root", `${whole}<a/>`],
    ["a start tag that does not end", `${whole.slice(0, -1)}`],
    ["tags that cross", cell("<a><b></a></b>")],
    ["< in an attribute", table('<datum><datum x="<">a</datum></datum>')],
    ["& in an attribute", table('<datum><datum x="a&b">a</datum></datum>')],
    ["an attribute without quotes", table("<datum><datum nil=true/></datum>")],
    ["an attribute without a value", table("<datum><datum nil/></datum>")],
    ["an attribute twice", table('<datum><datum nil="true" a="" nil="false"/></datum>')],
    ["attributes without white space between", table('<datum><datum a="b"c="d"/></datum>')],
    ["a second declaration", table('<datum/><?xml version="1.0"?><datum/>')],
    ["a declaration after white space", ` ${whole}`],
    ["a declaration without a version", whole.replace(' version="1.0"', "")],
    ["version 2.0", whole.replace("1.0", "2.0")],
    ["-- in a comment", cell("<!-- a -- b -->")],
    ["a comment that ends in -", cell("<!-- a --->")],
    ["]]> in text", cell("a]]>b")],
    ["a control character in text", cell("a\u0001b")],
    ["a control character in a comment", cell("<!-- \u0008 -->")],
    ["a control character in a section", cell("<![CDATA[\u001f]]>")],
    ["a control character in an attribute", table('<datum><datum a="\u000b"/></datum>')],
    ["U+FFFE", cell("\ufffe")],
    ["NUL by number", cell("&#0;")],
    ["a control character by number in XML 1.0", cell("&#1;")],
    ["half a pair by number", cell("&#xD800;")],
    ["U+FFFF by number", cell("&#xFFFF;")],
    ["a number beyond Unicode", cell("&#x110000;")],
    ["a reference without its end", cell("&amp")],
    ["a capital X", cell("&#X41;")],
    ["a bare &", cell("a & b")],
    ["an entity of HTML", cell("&copy;")],
    ["a section in small letters", cell("<![cdata[a]]>")],
    ["an instruction without a name", cell("<??>")],
    ["an instruction called XML", cell("<?XML a?>")],
    ["a name that begins with a digit", table("<datum><1>a</1></datum>")],
    ["a C1 control in XML 1.1", cell("\u0080").replace("1.0", "1.1")],
  ])("%s", async (_, text) => {
    const error: unknown = await rowsOf(text).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "DataError", code: "BadXml", offset: expect.any(Number) });
  });

  it("what looks alike is read", async () => {
    for (const text of [
      `\ufeff${whole}`,
      whole.replace(/^<\?xml.*?\?>/, ""),
      whole.replace(/^<\?xml.*?\?>/, "<?xml-stylesheet href='a'?>"),
      whole.replace("1.0", "1.5").replace("UTF-8", "utf-8").replaceAll('"', "'"),
      `${whole}\n<!-- - -->\n<?end?>`,
      whole.replaceAll("datum>", "datum\n>"),
    ]) {
      expect(await rowsOf(text)).toEqual([["a"]]);
    }
    expect(await rowsOf(cell("&#1;&#x1F;&#133;\u0085\u2028").replace("1.0", "1.1"))).toEqual([
      ["\u0001\u001f\u0085\n\n"],
    ]);
    const ends = cell("a\r\u2028b\r\r\u2028c\r\u0085d\r\ne\u2028\rf").replace(' version="1.0"', '\r\n version="1.1"');
    expect(await rowsOf(ends)).toEqual([["a\n\nb\n\n\nc\nd\ne\n\nf"]]);
    expect(await rowsOf(cell("\u0085\u0080\u007f"))).toEqual([["\u0085\u0080\u007f"]]);
  });

  it("says the byte, and what is there", async () => {
    const text = cell("é & b");
    const offset = Buffer.from(text).indexOf(" & b") + 1;
    await expect(rowsOf(text)).rejects.toMatchObject({ offset, message: expect.stringContaining('"& b</datum') });
    const cut = whole.slice(0, -4);
    await expect(rowsOf(cut)).rejects.toMatchObject({ offset: cut.length, hint: expect.stringContaining("truncated") });
  });

  it("UTF-16 and Latin-1 are called by name", async () => {
    const wide = Buffer.from(`\ufeff${whole}`, "utf16le");
    await expect(parseXML(wide)).rejects.toThrow("UTF-16");
    await expect(parseXML(Buffer.from(whole.replace("UTF-8", "ISO-8859-1")))).rejects.toThrow("ISO-8859-1");
    await expect(parseXML(Buffer.from(cell("\xe9"), "latin1"))).rejects.toMatchObject({ code: "BadXml" });
  });

  it("takes time in proportion to its length, however many attributes, levels and references it has", async () => {
    const attributes = Array.from({ length: 50_000 }, (_, i) => `a${i}=""`).join(" ");
    expect((await rowsOf(table(`<datum><datum ${attributes}>a</datum></datum>`)))[0]).toEqual(["a"]);
    await expect(rowsOf(table(`<datum ${attributes} a7=""/>`))).rejects.toThrow("a7 only once");
    expect((await rowsOf(cell("&amp;".repeat(100_000))))[0][0]).toHaveLength(100_000);
    await expect(rowsOf(cell("<a>".repeat(100_000)))).rejects.toThrow("1000 levels");
    await expect(rowsOf(cell(`&${"a".repeat(1_000_000)}`))).rejects.toMatchObject({ code: "BadXml" });
  });
});

it("rows are found under either spelling of their member, hyphens or underscores", async () => {
  const { rows: _, ...fields } = { ...goldenReplies.find(({ name }) => name === "2.1-dataset-data") };
  const text = Buffer.from(fields.bytes?.xml ?? []).toString();
  const expected = await readDocument("datasetData", "xml", bytesOf(text), specification);
  const spelt = text.replaceAll("dataset-data", "dataset_data").replaceAll("column-names", "column_names");
  const read = await readDocument("datasetData", "xml", bytesOf(spelt), specification);
  if (read.rows?.kind !== "xml" || expected.rows?.kind !== "xml") throw new Error("no XML rows");
  expect([...xmlRowTexts(read.rows)]).toEqual([...xmlRowTexts(expected.rows)]);
  expect(read.fields).toEqual(expected.fields);
});

describe("documents that are refused", () => {
  it.each([
    ["BadXml", `<!DOCTYPE service-response [<!ENTITY a "b">]>${wrap("")}`],
    ["BadXml", wrap("<a>")],
    ["BadXml", `${wrap("")}<a/>`],
    ["BadXml", wrap("").replace("UTF-8", "ISO-8859-1")],
    ["UnexpectedShape", "<other/>"],
    ["UnexpectedShape", wrap("<constructor/>")],
    ["UnexpectedShape", wrap("<![CDATA[<!DOCTYPE x>]]>")],
    ["UnexpectedShape", wrap("<dataset/>")],
    ["UnexpectedShape", wrap('<datatable><data type="array"/></datatable><meta/>')],
    ["UnexpectedShape", wrap('<datatable><data/><data/><columns type="array"/></datatable><meta/>')],
    ["UnexpectedShape", wrap('<datatable><data nil="true"/><columns type="array"/></datatable><meta/>')],
    ["UnexpectedShape", table("", "", '<next-cursor-id nil="true">x</next-cursor-id>')],
    ["UnexpectedShape", table("", "", '<next-cursor-id nil="no"/>')],
    ["UnexpectedShape", table("", "", "<next-cursor-id>a</next-cursor-id><next_cursor_id>b</next_cursor_id>")],
    ["BadXml", '{"datatable":{}}'],
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

  it("a reply truncated at any byte is rejected", async () => {
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
  const text = writtenText("databaseMetadata", "xml", { fields });
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

  it.each(["json", "xml"] as const)("as names, cells and metadata round-trip through %s", async (format) => {
    // U+FFFE is not a character of XML 1.0 or 1.1; writing it is refused (below).
    const given = format === "xml" ? strings.filter((text) => !text.includes("\ufffe")) : strings;
    const columns = given.map((name) => ({ name, type: "String" }));
    const fields = { columns, next_cursor_id: given.join("\n") };
    const rows = { columns, rows: [given, given.map(() => null)] };
    const text = writtenText("tableRows", format, { fields, rows });
    const document = await readDocument("tableRows", format, bytesOf(text), specification);
    expect(document.fields).toEqual(fields);
    const read = document.rows;
    if (read?.kind === "xml") expect([...xmlRowTexts(read)]).toEqual(rows.rows);
    else if (read?.kind === "json") {
      const json = new TextDecoder().decode(read.bytes.subarray(read.start, read.end));
      expect(JSON.parse(json)).toEqual(rows.rows);
    }
  });

  it("as metadata round-trip through CSV", async () => {
    for (const name of strings) {
      const fields = { ...databaseFields, name, description: name };
      const text = writtenText("databaseMetadata", "csv", { fields });
      expect((await readDocument("databaseMetadata", "csv", bytesOf(text), specification)).fields).toEqual(fields);
    }
  });

  it("what XML cannot hold is refused when writing", () => {
    for (const name of ["\0", "\ud800", "\uffff"]) {
      const write = () => writtenText("databaseMetadata", "xml", { fields: { ...databaseFields, name } });
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
  const document = await read(
    "tableRows",
    writtenText("tableRows", "xml", { fields: { columns, next_cursor_id: null }, rows }),
  );
  let count = 0;
  if (document.rows?.kind === "xml") for (const cells of xmlRowTexts(document.rows)) count += cells.length;
  expect(count).toBe(100_000);
});

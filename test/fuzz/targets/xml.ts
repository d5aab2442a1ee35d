import { cellTexts } from "../../../src/columns/arrow/cell-batch.js";
import { xmlRows } from "../../../src/columns/xml/reader.js";
import { readDocument } from "../../../src/document/document.js";
import { ArrowbookError, DataError } from "../../../src/errors/errors.js";
import { parseXML, type XMLElement } from "../../../src/format/xml/tree.js";
import { specification } from "../../../src/spec/profile.js";
import { mutateText, type Tokens } from "../mutate-text.js";
import type { FuzzTarget } from "../target.js";
import { type JudgedElement, judgedXML } from "../xml-judge.js";

/* Pages of rows in XML, held against saxes: both refuse, or tree and cells are equal. */

const CELLS = [
  "<datum>a</datum>",
  '<datum type="float">1.50</datum>',
  '<datum nil="true"/>',
  "<datum nil='true'></datum>",
  '<datum nil = "false">x</datum>',
  `<datum note='nil="true"'>a</datum>`,
  `<datum note=' nil="true"'/>`,
  `<datum x='"'>a</datum>`,
  `<datum x='>' nil="true"/>`,
  '<datum a="&lt;&amp;&#10;" b="]]>">]] &gt;</datum>',
  "<datum> &amp;lt;&#233;&#x1F642;\u{1f642}é </datum>",
  "<datum>a<![CDATA[<b>&amp;]]]]><![CDATA[>]]>c</datum>",
  "<datum><!-- <datum>x</datum> --></datum>",
  "<datum>a<?pi it's version='2' ?>b</datum>",
  "<datum>a\r\nb\rc</datum>",
  "<datum\n\ttype='float'\n>1</datum >",
  "<a:b.c-d_é/>",
  "<constructor>1</constructor>",
];

const row = (cells: readonly string[]): string => `<datum type="array">${cells.join("")}</datum>`;

function page(cells: readonly string[], width: number, head = '<?xml version="1.0" encoding="UTF-8"?>\n'): string {
  const rows: string[] = [];
  for (let at = 0; at + width <= cells.length; at += width) rows.push(row(cells.slice(at, at + width)));
  const columns = Array.from(
    { length: width },
    (_, k) => `<column><name>c${k}</name><type>String</type></column>`,
  ).join("");
  return (
    `${head}<service-response><datatable><data type="array">${rows.join("\n ")}</data>` +
    `<columns type="array">${columns}</columns></datatable><meta><next-cursor-id nil="true"/></meta></service-response>\n`
  );
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const corpus = (): Uint8Array[] =>
  [
    page(CELLS, 3),
    page(CELLS, 1),
    page([...CELLS, ...CELLS], 6, ""),
    page(CELLS.slice(0, 4), 2, "\ufeff<?xml version='1.0' standalone='yes' ?><!-- - --><?a?>"),
    page(["<datum>&#1;&#133;\u0085\u2028</datum>", "<datum>\u00a0&#x1F;</datum>"], 2, '<?xml version="1.1"?>'),
    page(["<datum>\r\u2028\r\u0085\r\n\r</datum>"], 1, "<?xml\r\n version='1.1'?>"),
    page([], 2),
    page(CELLS, 2).replaceAll("><", ">\r\n\t<"),
    `${page(CELLS.slice(0, 6), 2)}<!-- the end --><?end now?>`,
  ].map(encode);

const TOKENS: Tokens = {
  all: /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<\/?[^\s<>/]+|\/?>|[^\s<>="']+\s*=|"[^"]*"|'[^']*'|&[^;\s]*;|[^<>&"'\s]+|\s+|[\s\S]/g,
  value: /^(?:"[^"]*"|'[^']*'|&[^;\s]*;|[^<>&"'\s]+|<!--[\s\S]*-->|<!\[CDATA\[[\s\S]*\]\]>|<\?[\s\S]*\?>|\s+)$/,
  words: [
    ...[
      "<",
      ">",
      "/>",
      "</",
      "</datum>",
      "<datum>",
      "<datum/>",
      "<datum",
      "<x y='1' y=\"2\"/>",
      "<x a = 'b' c\t=\n'd' />",
    ],
    ...["<!DOCTYPE a>", '<!DOCTYPE a [<!ENTITY b "c">]>', "<!ENTITY b 'c'>", "<![CDATA[", "]]>", "]]", "<![CDATA[]]>"],
    ...["<![CDATA[<&]]>", "<![cdata[x]]>", "<!---->", "<!-- -- -->", "<!--->", "<!-- --->", "<!-- > -->", "<!-", "-->"],
    ...['<?xml version="1.0"?>', '<?xml version="2.0"?>', '<?xml version="1.1"?>', '<?xml version="1.5"?>', "<?XML?>"],
    ...[
      "<?xml?>",
      '<?xml version="1.0" encoding="ISO-8859-1"?>',
      '<?xml encoding="UTF-8"?>',
      "<?xml-a b?>",
      "<??>",
      "<? a?>",
    ],
    ...["&", "&;", "&amp", "&amp;", "&lt;", "&quot;", "&apos;", "&nbsp;", "&#0;", "&#1;", "&#x1;", "&#xD800;", "&#65;"],
    ...[
      "&#x41;",
      "&#X41;",
      "&#xFFFE;",
      "&#xFFFF;",
      "&#x10FFFF;",
      "&#x110000;",
      "&#99999999999;",
      "&#x0000000041;",
      "&#;",
      "&#x;",
    ],
    ...[
      "&#133;",
      "&#x2028;",
      "&#13;",
      "&#10;",
      "&toString;",
      "&__proto__;",
      "\u0000",
      "\u0001",
      "\u000b",
      "\u001f",
      "\u007f",
    ],
    ...[
      "\u0080",
      "\u0085",
      "\u009f",
      "\u2028",
      "\ufffe",
      "\uffff",
      "\ufffd",
      "\ufeff",
      "\u{10ffff}",
      "\r",
      "\r\n",
      "\t",
      " ",
    ],
    ...[
      '"',
      "'",
      "=",
      "nil='true'",
      ' nil="true"',
      ' nil="false"',
      ' nil="1"',
      ' nil="yes"',
      " xsi:nil='true'",
      " x:nil='true'",
    ],
    ...[
      " nil=' true '",
      " NIL='true'",
      " nil='&#116;rue'",
      " nil",
      " nil=true",
      ' a="<"',
      " a='\n'",
      ' a="&#9;"',
      " é='1'",
      " 1a='1'",
    ],
    ...[
      '"true"',
      "'false'",
      '"]]>"',
      "'\"'",
      '"\'"',
      "'>'",
      '"a&b"',
      "a",
      "1.50",
      "x]]y",
      "·a",
      "a·",
      "\u0300",
      "-",
      "\u{effff}",
    ],
  ],
};

/** A tree as plain data. */
const plain = (element: XMLElement | JudgedElement): unknown => ({
  name: element.name,
  attributes: [...element.attributes].map(([name, value]) => `${name}=${value}`).sort(),
  text: element.text,
  children: element.children.map(plain),
});

const only = (element: JudgedElement | undefined, name: string): JudgedElement | undefined => {
  const found = element?.children.filter((child) => child.name === name) ?? [];
  return found.length === 1 ? found[0] : undefined;
};

const isBlank = ({ text }: JudgedElement): boolean => /^[ \t\r\n]*$/.test(text);

/** What the attribute says, read as XML Schema has it; undefined for what is not a truth value. */
function nilOf({ attributes }: JudgedElement): boolean | undefined {
  const value = attributes.get("nil") ?? attributes.get("xsi:nil") ?? "false";
  return { true: true, "1": true, false: false, "0": false }[value.trim()];
}

/** The cells of a list of rows; undefined where it holds something else. */
function judgedRows(data: JudgedElement): (string | null)[][] | undefined {
  const cells = data.children.flatMap((child) => child.children);
  const isRows =
    [data, ...data.children].every(isBlank) &&
    cells.every((cell) => cell.children.length === 0 && nilOf(cell) !== undefined && (!nilOf(cell) || isBlank(cell)));
  return isRows
    ? data.children.map((child) => child.children.map((cell) => (nilOf(cell) ? null : cell.text)))
    : undefined;
}

/** What a page must say, where its shape leaves no doubt. */
function judgedPage(
  root: JudgedElement,
): { readonly rows: (string | null)[][]; readonly names: readonly string[] } | undefined {
  const table = root.name === "service-response" ? only(root, "datatable") : undefined;
  const [data, columns, meta] = [only(table, "data"), only(table, "columns"), only(root, "meta")];
  const cursor = only(meta, "next-cursor-id");
  if (data === undefined || columns === undefined || cursor === undefined || cursor.children.length > 0)
    return undefined;
  if (root.children.length !== 2 || table?.children.length !== 2 || meta?.children.length !== 1) return undefined;
  const rows = judgedRows(data);
  const names = columns.children.map((column) => only(column, "name"));
  const types = columns.children.map((column) => only(column, "type"));
  const isPlain = [...names, ...types].every(
    (item) => item !== undefined && item.children.length === 0 && item.attributes.size === 0,
  );
  const withoutNil = [root, table, data, columns, meta, ...columns.children].every(
    (item) => item !== undefined && !item.attributes.has("nil") && !item.attributes.has("xsi:nil") && isBlank(item),
  );
  const isString = types.every((type) => type?.text === "String");
  const isEven = rows?.every((cells) => cells.length === names.length);
  if (!isPlain || !withoutNil || !isString || !isEven || rows === undefined) return undefined;
  if (nilOf(cursor) !== true || !isBlank(cursor)) return undefined;
  return { rows, names: names.map((name) => name?.text ?? "") };
}

async function tried<T>(read: () => Promise<T>): Promise<T | DataError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DataError || error instanceof ArrowbookError) return error as DataError;
    throw error;
  }
}

function same(what: string, got: unknown, judged: unknown): void {
  const [a, b] = [JSON.stringify(got), JSON.stringify(judged)];
  if (a === b) return;
  let at = 0;
  while (a[at] === b[at]) at++;
  const near = (text: string): string => text.slice(Math.max(0, at - 60), at + 60);
  throw new Error(`${what}: read … ${near(a)} …, saxes has … ${near(b)} …`);
}

export const target: FuzzTarget = {
  name: "xml",
  quick: 2500,
  corpus,
  mutate: (input, random) => mutateText(input, TOKENS, random),
  async check(input) {
    const judged = judgedXML(input);
    const tree = await tried(() => parseXML(input));
    if (judged === undefined) {
      if (!(tree instanceof Error)) throw new Error("it was read although it is not well-formed");
      return "refused";
    }
    if (tree instanceof Error) throw tree;
    same("tree", plain(tree), plain(judged));
    const expected = judgedPage(judged);
    const page = await tried(async () => {
      const { fields, rows } = await readDocument("tableRows", "xml", input, specification);
      if (rows?.kind !== "xml") throw new Error("no rows");
      const { batches } = xmlRows(rows, fields.columns ?? [], { warn: () => undefined, batchRows: 2 }).table();
      return {
        rows: batches.flatMap((batch) => [...cellTexts(batch)]),
        names: fields.columns?.map(({ name }) => name),
      };
    });
    if (page instanceof Error) {
      if (expected !== undefined) throw page;
      return "refused";
    }
    if (expected !== undefined) same("page", page, expected);
    return "read";
  },
};

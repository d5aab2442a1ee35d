// What a page does with SQL, run in Node too: both must give the same columns and cells.
const TYPED = [
  { name: "Name", type: "String" },
  { name: "price", type: "BigDecimal(12,4)" },
  { name: "wide", type: "BigDecimal(50,2)" },
  { name: "day", type: "Date" },
  { name: "time", type: "DateTime" },
  { name: "n", type: "Integer" },
  { name: "x", type: "Double" },
];
const ROWS = [
  [
    "Oslo's",
    "1.5000",
    "123456789012345678901234567890123456789012345678.25",
    "2024-01-02",
    "2024-01-02T03:04:05.678",
    9007199254740993n,
    0.1,
  ],
  ["Zürich\n日本", "-12345678.9999", "-0.01", "1899-12-31", "1969-12-31T23:59:59.999", -9223372036854775807n, -2.5e300],
  [null, null, null, null, null, null, null],
  ["", "0.0000", "7.00", "9999-12-31", "2262-04-11T00:00:00", 0n, 1],
];

const STATEMENTS = {
  all: ["select * from this"],
  computed: ["select \"Name\" || '!' as s, price * 2 as twice, price / 3 as third, n + 1 as more, -x as x from this"],
  grouped: ["select count(*) as c, sum(n) as n, sum(price) as p, min(day) as d, max(time) as t, avg(x) as x from this"],
  wide: ["select wide, wide as again, upper(wide) as text from this order by wide desc nulls last"],
  joined: ["select t.n, o.label from this t join other o on t.day = o.day order by t.n"],
  params: [
    "select $1 as a, $2 as b, $3 as c, $4 as d, $5 as e, $6 as f, $7 as g, n from this where n > $2",
    ["it's\0here", 5, 2n ** 100n, 1.5, true, null, 2 ** 70],
  ],
  date: ["select count(*) as c from this where time < $1 and wide is not null", [new Date("2000-01-01")]],
  types: [
    "select 1::tinyint a, 2::ubigint b, 3::hugeint c, 1.5::float d, 'x'::enum('w', 'x') e, null f, true g, 18446744073709551615::ubigint h, 1.5::decimal(38,10) i",
  ],
  times: [
    "select timestamp '2024-01-02 03:04:05.123456' a, '2024-01-02'::timestamp_s b, '2024-01-02 00:00:00.5'::timestamp_ms c, '2024-01-02 00:00:00.123456789'::timestamp_ns d, timestamptz '2024-01-02 03:04:05+00' e, date '0001-01-01' f",
  ],
  texts: [
    "select [1, 2] a, {'a': 1, 'b': true} b, interval 1 day c, time '01:02:03.5' d, uuid '00000000-0000-4000-8000-000000000000' e, '101'::bit f, [[1.5], null] g, 5::uhugeint h, [date '2024-01-02'] i, $1 j",
    [3],
  ],
  twice: ["select 1 as a, 2 as a, [3] as a"],
  empty: ["select * from this where false"],
  comment: ["select n from this; -- all"],
  "comment after enums": ["select 'x'::enum('w', 'x') e, [1, 2] l; -- all; \n /* ; ' */ ;"],
  quoted: ["select ';--' a, e'\\';' b, $tag$ ';-- $tag$ c, [1] as \"; /*\"; ;"],
  "list by value": ["select [n] as l from this where n > $1; -- c", [0]],
  created: ["create table kept as select 1 as a"],
  own: ["select * from kept"],
  none: ["select * from nothing"],
  syntax: ["selec 1"],
  column: ["select prce from this"],
  conversion: ["select 'x'::integer from this"],
  infinite: ["select date 'infinity' as d"],
  past: ["select timestamp '-infinity' as d"],
  missing: ["select $1 as a, $2 as b", [1]],
  tables: ["select table_name from information_schema.tables where table_name = 'other'"],
};

/** The columns and cells of each statement, or the error: its class, code, message and hint. */
export async function work({ Frame }) {
  const names = TYPED.map(({ name }) => name);
  const frame = Frame.fromRows(
    ROWS.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i]]))),
    TYPED,
  );
  const other = Frame.fromRows(
    [
      { day: "2024-01-02", label: "b" },
      { day: "9999-12-31", label: "a" },
    ],
    [
      { name: "day", type: "Date" },
      { name: "label", type: "String" },
    ],
  );
  const results = {};
  const note = async (name, run) => {
    try {
      const { columns, table } = await run();
      const types = table.schema.fields.map(({ type }) => String(type).replace("Dictionary<Int32, Utf8>", "Utf8"));
      results[name] = JSON.stringify([columns, types, (await Frame.from(table)).toCSV()]);
    } catch (error) {
      results[name] = [error.name, error.code, error.message, error.hint]
        .join(" | ")
        .replace("Failed to extract statements: ", "");
    }
  };
  for (const [name, [sql, params]] of Object.entries(STATEMENTS)) {
    await note(name, () => frame.sql(sql, { params, tables: { other } }));
  }
  await note("none of this", () => Frame.fromRows([], TYPED).sql("select * from this"));
  await note("selected", () => frame.filter((row) => row.n !== null).sql("select * from this order by n"));
  await note("grouped texts", () => frame.select("Name").sql('select "Name" from this order by all'));
  await note("twins", () => Frame.fromRows([{ a: 1, A: 2 }]).sql("select * from this"));
  for (const names of [
    ["a", "rows of a"],
    ["rows of a", "a"],
  ]) {
    const tables = Object.fromEntries(names.map((c0) => [c0, Frame.fromRows([{ c0 }])]));
    await note(`names: ${names}`, () => frame.sql('select a.c0 as a, b.c0 as b from a, "rows of a" b', { tables }));
  }
  await note("both", async () => {
    const [first] = await Promise.all([frame.sql("select n from this"), frame.sql("select x from this")]);
    return first;
  });
  return results;
}

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { connect, type Service } from "../../src/client/service.js";
import type { ConnectOptions } from "../../src/client/transport/options.js";
import { cellTexts } from "../../src/columns/arrow/to-text-rows.js";
import { tableToIPCBytes } from "../../src/columns/ipc/stream.js";
import { hasCode, ServiceError } from "../../src/errors/errors.js";
import type { Frame } from "../../src/frame/frame.js";
import { type RunningService, serve } from "../../src/server.js";
import { defineProfile, specification } from "../../src/spec/profile.js";
import { COLLAPSES, FORMATS, OPERATORS, ORDERS, TRANSFORMS } from "../../src/spec/vocabulary.js";
import { folderOf } from "../server/support.js";
import { archiveOf, EXPORT, exportAnswer, FILE, json, METADATA, metadata, serviceOf } from "./bulk-fixtures.js";
import { type FaultServer, faultServer } from "./fault-server.js";

const failure = (call: Promise<unknown>): Promise<Error & { hint?: string; code?: string }> =>
  call.then(
    () => Promise.reject(new Error("accepted")),
    (error) => error,
  );

describe("a reply that contradicts the query", () => {
  const COLUMNS = [
    { name: "ticker", type: "String" },
    { name: "date", type: "Date" },
    { name: "close", type: "BigDecimal(15,4)" },
  ];
  const SERIES = "/api/v3/datasets/D/S";
  const TABLE = "/api/v3/datatables/V/T";
  const NO_ECHO = { limit: null, transform: null, column_index: null, collapse: null, order: null };
  const range = { start_date: "2024-01-02", end_date: "2024-01-05", frequency: "daily" };

  let server: FaultServer;
  beforeAll(async () => {
    server = await faultServer();
  });
  afterAll(() => server.close());
  afterEach(() => server.reset());

  const service = (profile = specification): Service =>
    connect({ url: server.url, apiKey: "k", profile, warn: () => undefined });
  const series = (echo: object, data: unknown[][], names = ["Date", "Close"]) => ({
    headers: json,
    body: JSON.stringify({ dataset_data: { ...range, ...echo, column_names: names, data } }),
  });
  const raw = [
    ["2024-01-05", 4],
    ["2024-01-04", 3],
    ["2024-01-03", 2],
  ];
  const table = (rows: unknown[][], columns = COLUMNS) => ({
    headers: json,
    body: JSON.stringify({ datatable: { data: rows, columns }, meta: { next_cursor_id: null } }),
  });
  const two = [
    ["AAA", "2024-01-02", 1],
    ["BBB", "2024-01-02", 2],
  ];

  it("row 50: raw rows with an echo of nulls are not the returns that were requested", async () => {
    server.on(SERIES, series(NO_ECHO, raw));
    const query = service().dataset("D/S").collapse("annual").transform("rdiff").order("asc").limit(1).column(1);
    const error = await failure(query.from("2024-01-01").frame());
    expect(error).toMatchObject({ name: "DataError", code: "ReplyContradicts" });
    expect(error.message).toBe(
      'The reply contradicts the query of D/S: requested collapse "annual", transform "rdiff", order "asc", at most 1 row, … (1 more); received collapse null, transform null, order null, 3 rows, 2024-01-05 before 2024-01-04, … (1 more).',
    );
    expect(error.hint).toMatch(/cache or proxy.*replyChecks/);
  });

  const query = (): ReturnType<Service["dataset"]> => service().dataset("D/S");
  it.each([
    ["another collapse", { collapse: "monthly" }, raw, () => query().collapse("annual")],
    ["an unrequested collapse", { collapse: "monthly" }, raw.slice(0, 1), () => query()],
    ["an unrequested transform", { transform: "diff" }, raw, () => query()],
    ["another transform", { transform: "diff" }, raw, () => query().transform("rdiff")],
    ["the default order, with a limit", {}, raw.slice(0, 1), () => query().order("asc").limit(1)],
    ["a lower limit that was reached", { limit: 3 }, raw, () => query().limit(5)],
    ["an unrequested limit that was reached", { limit: 3 }, raw, () => query()],
    ["more rows than the limit", {}, raw, () => query().limit(2)],
    ["another column", { column_index: 1 }, raw, () => query().column(2)],
    ["all columns", {}, [["2024-01-05", 1, 2]], () => query().column(1), ["Date", "A", "B"]],
    ["an unrequested column", { column_index: 1 }, raw, () => query()],
    ["a date before the range", {}, raw, () => query().from("2024-01-04")],
    ["a date after the range", {}, raw, () => query().to("2024-01-04")],
    [
      "a date long before the range",
      { collapse: "annual" },
      [["2020-12-31", 1]],
      () => query().collapse("annual").from("2023-01-01"),
    ],
    ...(
      [
        ["monthly", "2024-02-29", "from", "2024-03-15"],
        ["monthly", "2024-04-30", "to", "2024-03-31"],
        ["quarterly", "2023-12-31", "from", "2024-01-02"],
        ["quarterly", "2024-06-30", "to", "2024-03-31"],
        ["annual", "2022-12-31", "from", "2023-01-01"],
        ["annual", "2024-12-31", "to", "2023-12-30"],
        ["weekly", "2024-02-29", "from", "2024-03-07"],
        ["weekly", "2024-03-14", "to", "2024-03-07"],
      ] as const
    ).map(
      ([collapse, label, bound, day]) =>
        [
          `the ${collapse} label ${label}, ${bound} ${day}`,
          { collapse },
          [[label, 1]],
          () => query().collapse(collapse)[bound](day),
        ] as const,
    ),
    ["rows in the other order", { order: "asc" }, raw, () => query().order("asc")],
    ["several rows in one month", { collapse: "monthly" }, raw, () => query().collapse("monthly")],
  ] as const)("row 50: a time series with %s", async (_, echo, rows, ask, names?: readonly string[]) => {
    server.on(SERIES, series({ ...NO_ECHO, ...echo }, [...rows] as unknown[][], [...(names ?? ["Date", "Close"])]));
    expect(await failure(ask().frame())).toMatchObject({ code: "ReplyContradicts" });
    server.on(SERIES, series({ ...NO_ECHO, ...echo }, [...rows] as unknown[][], [...(names ?? ["Date", "Close"])]));
    const trusting = service(defineProfile(specification, { replyChecks: [] }));
    expect((await trusting.dataset("D/S").limit(1).frame()).numRows).toBe(rows.length);
  });

  it.each([
    ["no echo at all", {}, raw, () => query().transform("rdiff")],
    ["nulls for what changes nothing", NO_ECHO, raw, () => query().transform("none").collapse("none").order("desc")],
    ["another spelling of a value", { collapse: "Annually" }, raw.slice(0, 1), () => query().collapse("annual")],
    ["other letter case", { transform: "RDIFF" }, raw, () => query().transform("rdiff")],
    ["a limit that was not reached", { limit: 10_000 }, raw, () => query()],
    ["the number of the only column as null", NO_ECHO, raw, () => query().column(1)],
    [
      "a label beyond the range",
      { collapse: "annual" },
      [["2024-12-31", 1]],
      () => query().collapse("annual").to("2024-02-01"),
    ],
    ...(
      [
        ["monthly", "2024-03-01", "from", "2024-03-15"],
        ["monthly", "2024-03-31", "to", "2024-03-01"],
        ["quarterly", "2024-01-01", "from", "2024-03-31"],
        ["quarterly", "2024-03-31", "to", "2024-01-02"],
        ["annual", "2023-01-01", "from", "2023-12-31"],
        ["weekly", "2024-03-01", "from", "2024-03-07"],
        ["weekly", "2024-03-13", "to", "2024-03-07"],
      ] as const
    ).map(
      ([collapse, label, bound, day]) =>
        [
          `the ${collapse} label ${label}, ${bound} ${day}`,
          { collapse },
          [[label, 1]],
          () => query().collapse(collapse)[bound](day),
        ] as const,
    ),
    ["an empty transform", { transform: "" }, raw, () => query()],
    ["an order that was not requested", { order: "asc" }, [...raw].reverse(), () => query()],
  ] as const)("an honest time series with %s passes", async (_, echo, rows, ask) => {
    server.on(SERIES, series(echo, [...rows] as unknown[][]));
    expect((await ask().frame()).numRows).toBe(rows.length);
  });

  it("row 50: a selection answered with other columns, in all formats", async () => {
    server.on(`${TABLE}/metadata.json`, metadata);
    server.on(`${TABLE}.json`, table(two));
    const selected = service().table("V/T").select("ticker");
    const error = await failure(selected.frame());
    expect(error.message).toBe(
      'The reply contradicts the query of V/T: requested the columns "ticker"; received the columns "ticker", "date", "close".',
    );
    server.on(`${TABLE}.csv`, { headers: { Cursor_ID: "" }, body: "ticker,date,close\nAAA,2024-01-02,1\n" });
    expect((await failure(selected.format("csv").frame())).message).toBe(error.message);
    const names = COLUMNS.map(({ name, type }) => `<column><name>${name}</name><type>${type}</type></column>`).join("");
    server.on(`${TABLE}.xml`, {
      body: `<service-response><datatable><data type="array"/><columns type="array">${names}</columns></datatable><meta><next-cursor-id nil="true"/></meta></service-response>`,
    });
    expect((await failure(selected.format("xml").frame())).message).toBe(error.message);
    server.on(
      `${TABLE}.json`,
      table(
        two.map(([a, b]) => [b, a]),
        [COLUMNS[1], COLUMNS[0]],
      ),
    );
    expect(await failure(service().table("V/T").select("ticker", "date").frame())).toMatchObject({
      code: "ReplyContradicts",
    });
  });

  it("row 50: rows that do not meet the filters, and too many rows", async () => {
    server.on(`${TABLE}/metadata.json`, metadata);
    server.on(`${TABLE}.json`, table(two));
    const error = await failure(service().table("V/T").where({ ticker: "ZZZ" }).frame());
    expect(error.message).toBe(
      'The reply contradicts the query of V/T: requested ticker "ZZZ"; received ticker "AAA" in row 0 of the page.',
    );
    expect(
      (
        await failure(
          service()
            .table("V/T")
            .where({ date: { gt: "2024-01-02" } })
            .frame(),
        )
      ).message,
    ).toContain('requested date.gt "2024-01-02"; received date "2024-01-02" in row 0');
    const page = await failure(service().table("V/T").pageSize(1).page());
    expect(page.message).toContain("requested pages of 1 rows; received a page of 2 rows");
    const trusting = service(defineProfile(specification, { replyChecks: ["rows"] }));
    expect((await trusting.table("V/T").where({ ticker: "ZZZ" }).frame()).numRows).toBe(2);
    expect(await failure(trusting.table("V/T").pageSize(1).page())).toMatchObject({ code: "ReplyContradicts" });
  });
});

describe("an export that contradicts the query", () => {
  const TICKERS = ["AAA", "BBB", "CCC"];
  const rows = Array.from({ length: 9_000 }, (_, i) => `${TICKERS[i % 3]},2024-01-0${1 + (i % 9)},${i}.5000\n`);
  const root = folderOf({});
  let server: FaultServer;
  beforeAll(async () => {
    server = await faultServer();
  });
  afterAll(() => server.close());
  afterEach(() => server.reset());

  const serving = (csv: string) => {
    server.reset();
    server.on(METADATA, metadata);
    server.on(EXPORT, exportAnswer(server));
    server.on(FILE, { body: archiveOf(csv) });
  };
  const all = (): string => `ticker,date,close\n${rows.join("")}`;
  const of = (ticker: string): string => `ticker,date,close\n${rows.filter((row) => row.startsWith(ticker)).join("")}`;
  const table = (options: ConnectOptions = {}) => serviceOf(server, options).table("V/T");
  const poll = { first: 5, longest: 20 };

  it("row 50: rows that do not meet the filters are refused by every method that reads cells", async () => {
    serving(all());
    const file = () => table().where({ ticker: "AAA" }).export({ poll });
    const error = await failure(file().frame());
    expect(error).toMatchObject({ name: "DataError", code: "ReplyContradicts" });
    expect(error.message).toBe(
      'The reply contradicts the query of V/T: requested ticker "AAA"; received ticker "BBB" in row 1 of the file.',
    );
    const read = async () => {
      for await (const _ of file().batches({ batchRows: 100 }));
    };
    expect((await failure(read())).message).toBe(error.message);
    for (const write of ["toParquet", "toArrow"] as const) {
      expect((await failure(file()[write](join(root, "T.out")))).message).toBe(error.message);
    }
    expect(readdirSync(root)).toEqual([]);
    // Bytes are copied without a look at their cells.
    expect((await file().toCSV(join(root, "T.csv"))).bytes).toBe(all().length);
    rmSync(join(root, "T.csv"));
    serving(of("AAA"));
    expect((await file().frame()).numRows).toBe(3_000);
    serving(all());
    const trusting = table({ profile: defineProfile(specification, { replyChecks: ["columns"] }) });
    expect((await trusting.where({ ticker: "AAA" }).export({ poll }).frame()).numRows).toBe(9_000);
  });

  it("row 50: a row far behind the first batch is named by its number in the file", async () => {
    serving(`${of("AAA")}BBB,2024-01-01,1.0000\n`);
    const frame = table().where({ ticker: "AAA" }).export({ poll }).frame({ batchRows: 700 });
    expect((await failure(frame)).message).toContain("in row 3000 of the file");
  });

  it("row 50: a file with other columns than the selected ones is refused; their order does not matter", async () => {
    serving(all());
    const selected = () => table().select("date", "close").export({ poll }).frame();
    expect((await failure(selected())).message).toBe(
      'The reply contradicts the query of V/T: requested the columns "date", "close"; received the columns "ticker", "date", "close".',
    );
    serving("close,date\n1.0000,2024-01-01\n");
    expect((await selected()).columns.map(({ name }) => name)).toEqual(["date", "close"]);
    serving("close,unknown\n1.0000,2024-01-01\n");
    expect(await failure(selected())).toMatchObject({ code: "UndeclaredColumn" });
  });

  it("row 50: a file that contradicts its query does not stay in the cache", async () => {
    const cache = join(root, "cache");
    serving(all());
    const file = () => table({ cache }).where({ ticker: "CCC" }).export({ poll });
    expect(await failure(file().frame())).toMatchObject({ code: "ReplyContradicts" });
    // The table's metadata stays.
    expect(readdirSync(cache)).toEqual(["replies"]);
    serving(of("CCC"));
    expect((await file().frame()).numRows).toBe(3_000);
    expect(readdirSync(cache)).not.toEqual([]);
  });
});

/** What a query asks, as parameters: the client's query is made of them, and a liar drops some. */
const SERIES = fc.record(
  {
    column_index: fc.integer({ min: 0, max: 2 }),
    start_date: fc.integer({ min: 0, max: 380 }).map((n) => dayAt(n * 2)),
    end_date: fc.integer({ min: 0, max: 380 }).map((n) => dayAt(n * 2)),
    collapse: fc.constantFrom(...COLLAPSES),
    transform: fc.constantFrom(...TRANSFORMS),
    order: fc.constantFrom(...ORDERS),
    limit: fc.integer({ min: 1, max: 30 }),
  },
  { requiredKeys: [] },
);
type Asked = typeof SERIES extends fc.Arbitrary<infer T> ? T : never;

function dayAt(n: number): string {
  return new Date(Date.UTC(2022, 0, 1 + n)).toISOString().slice(0, 10);
}

/** Days without weekends in D/DAILY; months in D/MONTHLY. */
const DAYS = Array.from({ length: 760 }, (_, i) => i).filter((i) => ![0, 6].includes(new Date(dayAt(i)).getUTCDay()));
const lines = (days: readonly number[]): string =>
  `Date,A,B\n${days.map((day, i) => `${dayAt(day)},${i + 10},${i % 5 === 0 ? "" : (i * 37) % 101}\n`).join("")}`;

/** Texts that differ beyond letter case, and awkward ones that differ by nothing else. */
const PLAIN = ["alpha", "delta", "omega", "zulu"];
const AWKWARD = ["alpha", "Alpha", "ÉTÉ", "été", " gamma ", "gamma", "10", "9", "", "zz top", "ab", "a-b"];
const TYPES = [
  { name: "id", type: "Integer" },
  { name: "t", type: "String" },
  { name: "u", type: "String" },
  { name: "d", type: "Date" },
  { name: "at", type: "DateTime" },
  { name: "p", type: "BigDecimal(12,4)" },
  { name: "w", type: "BigDecimal(38,10)" },
  { name: "x", type: "double" },
  { name: "b", type: "Boolean" },
];
const VALUES: Readonly<Record<string, (i: number) => string>> = {
  id: (i) => String((i * 7) % 60),
  t: (i) => PLAIN[i % PLAIN.length],
  u: (i) => AWKWARD[i % AWKWARD.length],
  d: (i) => dayAt((i * 11) % 60),
  at: (i) => `${dayAt((i * 13) % 60)}T0${i % 10}:00:00Z`,
  p: (i) => `${((i * 17) % 60) - 30}.${String((i * 1234) % 10_000).padStart(4, "0")}`,
  w: (i) => `${((i * 17) % 60) - 30}12345678901234567.${String(i % 7).padStart(10, "0")}`,
  x: (i) => String(((i * 29) % 60) / 8 - 3),
  b: (i) => String(i % 3 === 0),
};
const cell = (name: string, i: number): string => {
  if (i % 9 === name.length + 3) return "";
  const text = VALUES[name](i);
  return text === "" || /["\s]/.test(text) ? `"${text}"` : text;
};
const ROWS = Array.from({ length: 60 }, (_, i) => `${TYPES.map(({ name }) => cell(name, i)).join(",")}\n`).join("");

const FILES = {
  "daily.csv": lines(DAYS),
  "monthly.csv": lines(Array.from({ length: 24 }, (_, i) => i * 31)),
  "table.csv": `${TYPES.map(({ name }) => name).join(",")}\n${ROWS}`,
  "catalog.json": {
    databases: [
      {
        database_code: "D",
        name: "D",
        premium: false,
        datasets: ["DAILY", "MONTHLY"].map((code) => ({
          ...{ dataset_code: code, name: code, frequency: code.toLowerCase() },
          ...{ columns: ["Date", "A", "B"], file: `${code.toLowerCase()}.csv` },
        })),
      },
    ],
    tables: [
      {
        ...{ vendor_code: "V", datatable_code: "T", name: "T", file: "table.csv", columns: TYPES },
        ...{ filters: TYPES.map(({ name }) => name), primary_key: [], premium: false },
      },
    ],
  },
};

describe("the embedded service, asked honestly and through a liar", () => {
  let running: RunningService;
  let honest: Service;
  let liar: Service;
  /** Changes the parameters of an address on its way. */
  let lie: (parameters: URLSearchParams) => void = () => undefined;
  beforeAll(async () => {
    running = await serve({ data: folderOf(FILES) });
    const options = { url: running.url, apiKey: "sample", warn: () => undefined, retry: { attempts: 1 } };
    honest = connect(options);
    const changed: typeof fetch = (address, init) => {
      const url = new URL(String(address));
      if (!url.pathname.includes("metadata")) lie(url.searchParams);
      return fetch(url, init);
    };
    liar = connect({ ...options, fetch: changed });
  });
  afterAll(() => running.close());

  const content = (frame: Frame): string => Buffer.from(tableToIPCBytes(frame.table)).toString("base64");

  const asSeries = (service: Service, code: string, asked: Partial<Asked>, format: (typeof FORMATS)[number]) => {
    let query = service.dataset(`D/${code}`).format(format);
    if (asked.column_index !== undefined) query = query.column(asked.column_index);
    if (asked.start_date !== undefined) query = query.from(asked.start_date);
    if (asked.end_date !== undefined) query = query.to(asked.end_date);
    if (asked.collapse !== undefined) query = query.collapse(asked.collapse);
    if (asked.transform !== undefined) query = query.transform(asked.transform);
    if (asked.order !== undefined) query = query.order(asked.order);
    return asked.limit === undefined ? query : query.limit(asked.limit);
  };

  const code = fc.constantFrom("DAILY", "MONTHLY");
  const format = fc.constantFrom(...FORMATS);

  it("an honest time series is never refused", async () => {
    await fc.assert(
      fc.asyncProperty(code, SERIES, format, async (which, asked, as) => {
        await asSeries(honest, which, asked, as).data();
        if (as !== "csv") await asSeries(honest, which, asked, as).withMetadata();
      }),
      { numRuns: 40 },
    );
  });

  /** The calendar period of a day, in the order of periods; the day itself where there is none. */
  const periodOf = (collapse: string, day: string): string => {
    if (collapse === "annual") return day.slice(0, 4);
    if (collapse === "monthly") return day.slice(0, 7);
    return collapse === "quarterly" ? `${day.slice(0, 4)} ${Math.ceil(Number(day.slice(5, 7)) / 3)}` : day;
  };
  const weekFrom = (day: string, days: number): string =>
    new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

  /** Whether all dates are in periods that have a day in the requested range; a week may begin on any day. */
  const isInRange = ({ collapse = "none", start_date, end_date }: Partial<Asked>, frame: Frame): boolean => {
    const week = collapse === "weekly" ? 6 : 0;
    const least = start_date === undefined ? "" : periodOf(collapse, weekFrom(start_date, -week));
    const most = end_date === undefined ? "~" : periodOf(collapse, weekFrom(end_date, week));
    const dates = frame.table.batches.flatMap((batch) => [...cellTexts(batch)].map(([date]) => date ?? ""));
    return dates.every((date) => periodOf(collapse, date) >= least && periodOf(collapse, date) <= most);
  };

  /**
   * Whether the reply shows nothing of a lie. CSV has no echo: it shows neither a transform nor which end of a series a
   * limit took, and of a collapse only several rows in a period. Nothing shows a dropped range within the periods at
   * its ends, or of which rows a transform was computed.
   */
  const isHidden = (asked: Partial<Asked>, dropped: readonly string[], as: string, received: Frame): boolean => {
    const { collapse = "none", transform = "none" } = asked;
    const isCollapsed = collapse !== "none" && collapse !== "daily";
    const ranged = dropped.includes("start_date") || dropped.includes("end_date");
    if (!dropped.includes("collapse") && !isInRange(asked, received)) return false;
    if (ranged && (isCollapsed || transform !== "none")) return true;
    return as === "csv" && (dropped.includes("transform") || dropped.includes("collapse") || dropped.includes("order"));
  };

  it("row 50: a time series from which parameters were dropped is refused, or is what was requested", async () => {
    let [refused, equal, hidden] = [0, 0, 0];
    const drops = fc.oneof(fc.constant("all"), fc.nat(), fc.nat());
    await fc.assert(
      fc.asyncProperty(code, SERIES, format, drops, async (which, asked, as, drop) => {
        const names = Object.keys(asked);
        if (names.length === 0) return;
        const dropped = drop === "all" ? names : [names[(drop as number) % names.length]];
        const truth = await asSeries(honest, which, asked, as).frame();
        lie = (parameters) => {
          for (const name of dropped) parameters.delete(name);
        };
        try {
          const received = await asSeries(liar, which, asked, as).frame();
          const isEqual = content(received) === content(truth);
          if (isEqual) equal++;
          else hidden++;
          if (!isEqual)
            expect(isHidden(asked, dropped, as, received), `${as} ${JSON.stringify(asked)} - ${dropped}`).toBe(true);
        } catch (error) {
          if (!hasCode(error, "ReplyContradicts")) throw error;
          refused++;
        }
      }),
      { numRuns: 200, seed: 51, endOnFailure: true },
    );
    expect(refused).toBeGreaterThan(80);
    expect(hidden).toBeLessThan(refused / 3);
    expect(equal).toBeGreaterThan(0);
  });

  const comparison = fc.record({
    column: fc.constantFrom(...TYPES.map(({ name }) => name)),
    operator: fc.constantFrom(...OPERATORS),
    values: fc.array(fc.nat(59), { minLength: 1, maxLength: 7 }),
  });
  const tableQuestion = fc.record({
    where: fc.uniqueArray(comparison, { maxLength: 3, selector: ({ column }) => column }),
    select: fc.option(fc.uniqueArray(fc.constantFrom(...TYPES.map(({ name }) => name)), { minLength: 1 })),
    pageSize: fc.option(fc.integer({ min: 12, max: 80 })),
  });
  type TableQuestion = typeof tableQuestion extends fc.Arbitrary<infer T> ? T : never;

  /** Values of the column itself, so that bounds and cells meet. */
  const conditionOf = ({ column, operator, values }: TableQuestion["where"][number]) => {
    const known = values.map((i) => VALUES[column](i)).filter((text) => text !== "" && !text.includes(","));
    const some = known.length === 0 ? [VALUES[column](0)] : known;
    return operator === "eq" ? [...new Set(some)] : { [operator]: some[0] };
  };
  const asTable = (service: Service, { where, select, pageSize }: TableQuestion, as: (typeof FORMATS)[number]) => {
    let query = service.table("V/T").format(as);
    for (const each of where) query = query.where({ [each.column]: conditionOf(each) });
    if (select !== null) query = query.select(...select);
    return pageSize === null ? query : query.pageSize(pageSize);
  };

  it("honest pages of a table are never refused", async () => {
    await fc.assert(
      fc.asyncProperty(tableQuestion, format, async (asked, as) => {
        const options = [{}, { decimals: "float64" }, { onPrecisionLoss: "round" }] as const;
        for (const reading of options) await asTable(honest, asked, as).frame(reading);
      }),
      { numRuns: 40 },
    );
  });

  it("row 50: pages of which filters, columns or sizes were dropped are refused, or are what was requested", async () => {
    let [refused, hidden] = [0, 0];
    const asked = tableQuestion.filter(({ where }) => where.every(({ column }) => column !== "u"));
    await fc.assert(
      fc.asyncProperty(asked, format, fc.oneof(fc.constant("all"), fc.nat()), async (question, as, drop) => {
        const names = [
          ...question.where.map(({ column, operator }) => (operator === "eq" ? column : `${column}.${operator}`)),
          ...(question.select === null ? [] : ["qopts.columns"]),
          ...(question.pageSize === null ? [] : ["qopts.per_page"]),
        ];
        if (names.length === 0) return;
        const dropped = drop === "all" ? [...names, "qopts.cursor_id"] : [names[(drop as number) % names.length]];
        const truth = await asTable(honest, question, as).frame();
        lie = (parameters) => {
          for (const name of dropped) parameters.delete(name);
        };
        try {
          const received = await asTable(liar, question, as).frame();
          if (content(received) === content(truth)) return;
          hidden++;
          const { select } = question;
          const shown = question.where.filter(({ column, operator }) => {
            const name = operator === "eq" ? column : `${column}.${operator}`;
            // Services compare timestamps in time zones of their own.
            return dropped.includes(name) && column !== "at" && (select === null || select.includes(column));
          });
          expect(shown, `${as} ${JSON.stringify(question)} - ${dropped}`).toEqual([]);
        } catch (error) {
          // The cursor of another query is refused by the service itself.
          const isCursor = error instanceof ServiceError && error.code === "QESx06";
          if (!isCursor && !hasCode(error, "ReplyContradicts", "CursorLoop")) throw error;
          refused++;
        }
      }),
      { numRuns: 100, seed: 52, endOnFailure: true },
    );
    expect(refused).toBeGreaterThan(50);
    expect(hidden).toBeLessThan(refused / 2);
  });

  it("row 50: an export of which filters or columns were dropped is refused, or is what was requested", async () => {
    let [refused, equal, hidden] = [0, 0, 0];
    const asked = tableQuestion.filter(({ where }) => where.every(({ column }) => column !== "u"));
    // An account has 60 exports an hour.
    await fc.assert(
      fc.asyncProperty(asked, fc.oneof(fc.constant("all"), fc.constant("none"), fc.nat()), async (question, drop) => {
        const names = [
          ...question.where.map(({ column, operator }) => (operator === "eq" ? column : `${column}.${operator}`)),
          ...(question.select === null ? [] : ["qopts.columns"]),
        ];
        const dropped =
          drop === "none" || names.length === 0
            ? []
            : drop === "all"
              ? names
              : [names[(drop as number) % names.length]];
        const truth = await asTable(honest, { ...question, pageSize: null }, "csv").frame();
        lie = (parameters) => {
          if (parameters.has("qopts.export")) for (const name of dropped) parameters.delete(name);
        };
        try {
          const { where, select } = question;
          const received = await asTable(liar, { ...question, pageSize: null }, "json")
            .export({ poll: { first: 5, longest: 20 } })
            .frame();
          if (content(received) === content(truth)) {
            equal++;
            return;
          }
          hidden++;
          const shown = where.filter(({ column, operator }) => {
            const name = operator === "eq" ? column : `${column}.${operator}`;
            return dropped.includes(name) && column !== "at" && (select === null || select.includes(column));
          });
          expect(dropped, JSON.stringify(question)).not.toEqual([]);
          expect(shown, `${JSON.stringify(question)} - ${dropped}`).toEqual([]);
        } catch (error) {
          if (!hasCode(error, "ReplyContradicts")) throw error;
          expect(dropped, JSON.stringify(question)).not.toEqual([]);
          refused++;
        }
      }),
      { numRuns: 50, seed: 53, endOnFailure: true },
    );
    expect(refused).toBeGreaterThan(15);
    expect(equal).toBeGreaterThan(10);
    expect(hidden).toBeLessThan(refused);
  });
});

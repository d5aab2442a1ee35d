import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { connect, type Service } from "../../src/client/service.js";
import type { ConnectOptions } from "../../src/client/transport/settings.js";
import { defineProfile, specification } from "../../src/spec/profile.js";
import { inBatches } from "../divided.js";
import { folderOf } from "../server/support.js";
import { columnSpecs } from "../support/column-specs.js";
import { archiveOf, EXPORT, exportAnswer, FILE, json, METADATA, metadata, serviceOf } from "./bulk-fixtures.js";
import { type FaultServer, faultServer } from "./fault-server.js";

const failure = (call: Promise<unknown>): Promise<Error & { hint?: string; code?: string }> =>
  call.then(
    () => Promise.reject(new Error("accepted")),
    (error) => error,
  );

describe("a reply that contradicts the query", () => {
  const COLUMNS = columnSpecs({ ticker: "String", date: "Date", close: "BigDecimal(15,4)" });
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
      for await (const _ of file().batches());
    };
    expect((await failure(inBatches(100, read))).message).toBe(error.message);
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
    const file = table().where({ ticker: "AAA" }).export({ poll });
    const frame = inBatches(700, () => file.frame());
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
    // The table's metadata stays, and how long the file was.
    expect(readdirSync(cache)).toEqual(["arrowbook-runs.json", "replies"]);
    serving(of("CCC"));
    expect((await file().frame()).numRows).toBe(3_000);
    expect(readdirSync(cache)).not.toEqual([]);
  });
});

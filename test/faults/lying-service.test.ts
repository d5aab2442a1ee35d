import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type Service } from "../../src/client/service.js";
import { cellTexts } from "../../src/columns/arrow/cell-batch.js";
import { tableToIPCBytes } from "../../src/columns/ipc/stream.js";
import { hasCode, ServiceError } from "../../src/errors/errors.js";
import type { Frame } from "../../src/frame/frame.js";
import { type RunningService, serve } from "../../src/server.js";
import { defineProfile, specification } from "../../src/spec/profile.js";
import { COLLAPSES, FORMATS, OBSERVED_TRANSFORMS, OPERATORS, ORDERS } from "../../src/spec/vocabulary.js";
import { folderOf } from "../server/support.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";

/** What a query asks, as parameters: the client's query is made of them, and a liar drops some. */
const SERIES = fc.record(
  {
    column_index: fc.integer({ min: 0, max: 2 }),
    start_date: fc.integer({ min: 0, max: 380 }).map((n) => dayAt(n * 2)),
    end_date: fc.integer({ min: 0, max: 380 }).map((n) => dayAt(n * 2)),
    collapse: fc.constantFrom(...COLLAPSES),
    transform: fc.constantFrom(...OBSERVED_TRANSFORMS),
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
const TYPES = columnSpecs({
  id: "Integer",
  t: "String",
  u: "String",
  d: "Date",
  at: "DateTime",
  p: "BigDecimal(12,4)",
  w: "BigDecimal(38,10)",
  x: "double",
  b: "Boolean",
});
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
    const profile = defineProfile(specification, { exportsPerHour: Number.POSITIVE_INFINITY });
    running = await serve({ data: folderOf(FILES), profile });
    const options = { url: running.url, apiKey: "sample", profile, warn: () => undefined, retry: { attempts: 1 } };
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
    await forAllAsync(runs(40), code, SERIES, format, async (which, asked, as) => {
      await asSeries(honest, which, asked, as).data();
      if (as !== "csv") await asSeries(honest, which, asked, as).withMetadata();
    });
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
    await forAllAsync(
      { numRuns: runs(200), seed: 51, endOnFailure: true },
      code,
      SERIES,
      format,
      drops,
      async (which, asked, as, drop) => {
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
      },
    );
    expect(refused).toBeGreaterThan(runs(80, 5));
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
    await forAllAsync(runs(40), tableQuestion, format, async (asked, as) => {
      const options = [{}, { decimals: "float64" }, { onPrecisionLoss: "round" }] as const;
      for (const reading of options) await asTable(honest, asked, as).frame(reading);
    });
  });

  it("row 50: pages of which filters, columns or sizes were dropped are refused, or are what was requested", async () => {
    let [refused, hidden] = [0, 0];
    const asked = tableQuestion.filter(({ where }) => where.every(({ column }) => column !== "u"));
    await forAllAsync(
      { numRuns: runs(100), seed: 52, endOnFailure: true },
      asked,
      format,
      fc.oneof(fc.constant("all"), fc.nat()),
      async (question, as, drop) => {
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
      },
    );
    expect(refused).toBeGreaterThan(runs(50, 3));
    expect(hidden).toBeLessThan(refused / 2);
  });

  it("row 50: an export of which filters or columns were dropped is refused, or is what was requested", async () => {
    let [refused, equal, hidden] = [0, 0, 0];
    const asked = tableQuestion.filter(({ where }) => where.every(({ column }) => column !== "u"));
    await forAllAsync(
      { numRuns: runs(50), seed: 53, endOnFailure: true },
      asked,
      fc.oneof(fc.constant("all"), fc.constant("none"), fc.nat()),
      async (question, drop) => {
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
      },
    );
    expect(refused).toBeGreaterThan(runs(15, 1));
    expect(equal).toBeGreaterThan(runs(10, 0));
    expect(hidden).toBeLessThan(refused);
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { connect } from "../../src/client/service.js";
import { InputError } from "../../src/errors/errors.js";
import { Frame } from "../../src/frame/frame.js";
import { serve } from "../../src/server.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { folderOf, get, started, tableEntry } from "./support.js";

const HEADER = "ticker,date,close\n";
const CATALOG = {
  tables: ["T", "U", "P"].map((name) =>
    tableEntry(
      `V/${name}`,
      { ticker: "String", date: "Date", close: "BigDecimal(9,2)" },
      {
        ...{ filters: ["ticker"], primary_key: ["ticker", "date"], premium: name === "P", file: `${name}.csv` },
        status: { refreshed_at: "2035-01-02T09:00:00Z" },
      },
    ),
  ),
};
const rowOf = (ticker: string, close: number): string => `${ticker},2024-12-31,${close.toFixed(2)}\n`;
/** The rows of the table on the days of January 2035, when the clock of the service can be. */
const STATES: Readonly<Record<number, readonly string[]>> = {
  2: [rowOf("A", 1), rowOf("B", 1)],
  4: [rowOf("A", 2), rowOf("B", 1)],
  7: [rowOf("A", 2), rowOf("C", 1)],
};
/** Changed rows are at the end. */
const AFTER_4 = [...STATES[4]].reverse();
const data = folderOf({
  "catalog.json": CATALOG,
  "T.csv": HEADER + STATES[2].join(""),
  "U.csv": HEADER,
  "P.csv": HEADER + STATES[2].join(""),
});

let now = 0;
// However long the service takes to start, the states are of whole hours.
const began = Date.now();
const time = vi.spyOn(Date, "now").mockReturnValue(began);
const origin = await serve({ data, profile: "nasdaqDataLink", clock: () => now });
time.mockRestore();
afterAll(() => origin.close());
const table = (code: string) => connect({ url: origin.url, apiKey: "sample", profile: "nasdaqDataLink" }).table(code);
const copy = await table("V/T").mirror(join(temporaryFolder(), "T"), { history: true });
const premium = await table("V/P").mirror(join(temporaryFolder(), "P"), { history: true });
for (const [day, rows] of Object.entries(STATES).slice(1)) {
  writeFileSync(join(data, "T.csv"), HEADER + rows.join(""));
  now = Date.parse(`2035-01-0${day}T12:00:00Z`) - began;
  await origin.refresh("V/T");
  await copy.sync();
}
const service = await started({
  data,
  profile: "nasdaqDataLink",
  history: [copy, premium],
  apiKeys: { sample: { subscriptions: "all" }, free: { subscriptions: [] } },
});
const rowsOf = async (path: string): Promise<string[]> => {
  const { status, text } = await get(service, path);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return text.split(/(?<=\n)/).slice(1);
};

describe("the rows of a table as they were", () => {
  it.each([
    ["asofdate/2035-01-02", STATES[2]],
    ["asofdate/2035-01-03", STATES[2]],
    ["asofdate/2035-01-04T11:59:59Z", STATES[2]],
    ["asofdate/2035-01-04T12:00:00Z", AFTER_4],
    ["asofdate/2035-01-04%2012:00:00", AFTER_4],
    ["asofdate/2035-01-06", AFTER_4],
    ["asofdate/2045-01-01", STATES[7]],
    ["between/2035-01-03/2035-01-03", STATES[2]],
    ["between/2035-01-03/2035-01-04", [...STATES[2], rowOf("A", 2)]],
    ["from/2035-01-03/to/2035-01-04", STATES[2]],
    ["from/2035-01-03/to/2035-01-05", [...STATES[2], rowOf("A", 2)]],
    ["between/2035-01-04/2035-01-07", [rowOf("B", 1), rowOf("A", 2), rowOf("C", 1)]],
    ["between/2035-01-02/2035-01-09", [...STATES[2], rowOf("A", 2), rowOf("C", 1)]],
    ["from/2035-01-05T00:00:00Z/to/2035-01-07T12:00:00Z", [rowOf("B", 1), rowOf("A", 2)]],
  ])("%s", async (path, rows) => {
    expect(await rowsOf(`/pit/V/T/${path}.csv`)).toEqual(rows);
  });

  it("in pages, whose cursors hold while the copy gets another state", async () => {
    const path = "/pit/V/T/between/2035-01-02/2035-01-07?qopts.per_page=3";
    const first = (await get(service, path)).json() as {
      datatable: { data: unknown[] };
      meta: { next_cursor_id: string };
    };
    expect(first.datatable.data).toEqual([
      ["A", "2024-12-31", 1],
      ["B", "2024-12-31", 1],
      ["A", "2024-12-31", 2],
    ]);
    now = Date.parse("2035-01-09T12:00:00Z") - began;
    await origin.refresh("V/T");
    await copy.sync();
    const next = (await get(service, `${path}&qopts.cursor_id=${first.meta.next_cursor_id}`)).json();
    expect(next).toMatchObject({ datatable: { data: [["C", "2024-12-31", 1]] }, meta: { next_cursor_id: null } });
  });

  it("with filters, columns, codes in lower case and by POST", async () => {
    const path = "/pit/v/t/between/2035-01-02/2035-01-07.csv?ticker=A&qopts.columns=close";
    expect(await rowsOf(path)).toEqual(["1.00\n", "2.00\n"]);
    const posted = await get(service, "/pit/V/T/asofdate/2035-01-05.csv", {
      method: "POST",
      body: JSON.stringify({ ticker: ["A", "Z"] }),
      headers: { "content-type": "application/json" },
    });
    expect(posted.text).toBe(HEADER + rowOf("A", 2));
  });

  it("are kept for more periods than there are places for", async () => {
    for (let round = 0; round < 2; round++) {
      for (const start of [2, 4, 7, 9]) {
        for (const end of [2, 4, 7, 9].filter((day) => day >= start)) {
          const path = `/pit/V/T/between/2035-01-0${start}/2035-01-0${end}.csv?ticker=C`;
          expect(await rowsOf(path)).toEqual(end < 7 ? [] : [rowOf("C", 1)]);
        }
      }
    }
  });
});

it.each([
  ["/pit/V/T/asofdate/2035-01-01", 422, "QESx04", "begins with its state of 2035-01-02T09:00:00.000Z"],
  ["/pit/V/T/asofdate/yesterday", 422, "QESx04", "yesterday"],
  ["/pit/V/T/between/2035-01-05/2035-01-04", 422, "QESx04", "an end after the start"],
  ["/pit/V/T/from/2035-01-05/to/2035-01-05", 422, "QESx04", "an end after the start"],
  ["/pit/V/T/asofdate/2035-01-05?date=2024-12-31", 422, "QESx08", "filter"],
  ["/pit/V/T/asofdate/2035-01-05?qopts.cursor_id=x", 400, "QESx06", "cursor"],
  ["/pit/V/U/asofdate/2035-01-05", 404, "QECx02", "no earlier states"],
  ["/pit/V/NONE/asofdate/2035-01-05", 404, "QECx02", "NONE"],
  ["/pit/V/P/asofdate/2035-01-05?api_key=free", 403, "QEPx04", "permission"],
  ["/pit/V/T/asofdate/2035-01-05?api_key=wrong", 400, "QEAx01", "key"],
  ["/pit/V/T/since/2035-01-05", 400, "QECx01", "no call"],
])("refuses %s", async (path, status, code, message) => {
  const reply = await get(service, path);
  expect([reply.status, reply.json()]).toEqual([
    status,
    { quandl_error: { code, message: expect.stringContaining(message) } },
  ]);
});

it("is a call of that profile alone, of tables that are served", async () => {
  const strict = await started({ data, history: copy });
  expect((await get(strict, "/pit/V/T/asofdate/2035-01-05")).status).toBe(400);
  const other = { code: "V/X", versions: async () => [], frame: copy.frame.bind(copy) };
  await expect(serve({ data, history: other })).rejects.toMatchObject({ name: "InputError", code: "UnknownCode" });
  await expect(serve({ data, history: {} as never })).rejects.toMatchObject({ code: "BadArgument" });
});

describe("a history", () => {
  const DAYS = Array.from({ length: 12 }, (_, i) => `2035-03-${String(i + 1).padStart(2, "0")}`);
  /** A service with a history of one row for each day, whose states are read by `frame`. */
  const historyOf = (frame: (asOf: string) => Promise<void>) =>
    started({
      data,
      profile: "nasdaqDataLink",
      history: {
        code: "V/T",
        versions: async () => DAYS.map((day) => ({ known_at: `${day}T12:00:00.000Z`, synced_at: day })),
        frame: async ({ asOf }) => {
          await frame(asOf.slice(0, 10));
          return Frame.fromRows([{ ticker: asOf.slice(0, 10) }], [{ name: "ticker", type: "String" }]);
        },
      },
    });
  const asOf = async (past: Awaited<ReturnType<typeof historyOf>>, day: string) => {
    const { status, text } = await get(past, `/pit/V/T/asofdate/${day}.csv`);
    return [status, text];
  };

  it("keeps a state that is read while others are loaded", async () => {
    const waiting: (() => void)[] = [];
    const past = await historyOf(async (day) => {
      if (day !== DAYS[0]) await new Promise<void>((resolve) => waiting.push(resolve));
    });
    const others = DAYS.slice(1, 9).map((day) => asOf(past, day));
    await vi.waitUntil(() => waiting.length === 8);
    expect(await asOf(past, DAYS[0])).toEqual([200, `ticker\n${DAYS[0]}\n`]);
    // Another query, whose reply is not there yet.
    const reply = await get(past, `/pit/V/T/asofdate/${DAYS[0]}.csv?ticker=${DAYS[0]}`);
    expect([reply.status, reply.text]).toEqual([200, `ticker\n${DAYS[0]}\n`]);
    for (const resolve of waiting) resolve();
    expect(await Promise.all(others)).toEqual(DAYS.slice(1, 9).map((day) => [200, `ticker\n${day}\n`]));
  });

  it("tries again after two requests of a state that failed", async () => {
    let reads = 0;
    const past = await historyOf(async () => {
      const isFirst = ++reads === 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (isFirst) throw new Error("the disk is gone");
    });
    const both = [asOf(past, DAYS[0]), asOf(past, DAYS[0])];
    expect((await Promise.all(both)).map(([status]) => status)).toEqual([500, 500]);
    expect(await asOf(past, DAYS[0])).toEqual([200, `ticker\n${DAYS[0]}\n`]);
    expect(reads).toBe(2);
  });

  it("says why it cannot compare the states of a period", async () => {
    const past = await historyOf(async () => {
      throw new InputError("The states of V/T that were asked for have other columns.", { code: "BadArgument" });
    });
    const reply = await get(past, `/pit/V/T/between/${DAYS[0]}/${DAYS[2]}`);
    expect(reply.status).toBe(422);
    expect(reply.json()).toMatchObject({
      quandl_error: { code: "QESx04", message: expect.stringContaining("columns") },
    });
  });
});

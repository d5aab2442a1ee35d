import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { trino } from "../../src/trino.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { listening } from "../support/listening.js";
import { runs } from "../support/whole.js";

/** One scripted reply: a page without `nextUri` gets one if another reply follows. */
interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly page?: object;
  readonly raw?: string;
  readonly cut?: boolean;
}

let script: Reply[] = [];
let seen: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
  if (request.method === "DELETE") return response.writeHead(204).end();
  answer(script.shift() ?? { status: 500, raw: "the script is over" }, response);
});
const url = await listening(server);
beforeEach(() => {
  script = [];
  seen = [];
});

function answer({ status = 200, headers = {}, page, raw, cut = false }: Reply, response: ServerResponse): void {
  const next =
    script.length > 0 && page !== undefined && !("nextUri" in page) ? { nextUri: `${url}/next/${script.length}` } : {};
  const text = raw ?? JSON.stringify({ id: "q1", stats: { state: "RUNNING" }, ...next, ...page });
  response.writeHead(status, headers);
  if (!cut) return void response.end(text);
  response.write(text.slice(0, 20), () => setTimeout(() => response.destroy(), 10));
}

async function closedPort(): Promise<number> {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  const { port } = other.address() as AddressInfo;
  await new Promise((done) => other.close(done));
  return port;
}

const KEY = "a-key-of-twenty-chars";
const engine = trino({ url, user: KEY, retries: 2 });
const columns = columnSpecs({
  ticker: "varchar(10)",
  date: "date",
  close: "decimal(38,18)",
  n: "bigint",
  x: "double",
  ok: "boolean",
  at: "timestamp(3) with time zone",
  local: "timestamp(6)",
});
const row = `["A", "2024-02-29", "12345678901234567890.123456789012345678", 9223372036854775807, 0.1, true, "2024-02-29 01:02:03.004 UTC", "2024-02-29 01:02:03.123456"]`;
const page = (rows: string, extra = ""): string =>
  `{"id":"q1","stats":{},"columns":${JSON.stringify(columns)},"data":[${rows}]${extra}}`;

describe("results", () => {
  it("reads pages into one Frame, every digit kept", async () => {
    script = [
      { page: {} },
      { page: { columns } },
      { raw: page(row, `,"nextUri":"${url}/next/x"`) },
      { raw: page(`${row},[null,null,null,null,null,null,null,null]`) },
    ];
    const frame = await engine.query("SELECT 1;");
    expect(frame).toBeInstanceOf(Frame);
    expect(frame.columns.map(({ type }) => type)).toEqual([
      "String",
      "Date",
      "BigDecimal(38,18)",
      "Integer",
      "double",
      "Boolean",
      "DateTime",
      "String",
    ]);
    expect(frame.numRows).toBe(3);
    expect(frame.columns.map(({ name }) => frame.column(name).toStrings()[0])).toEqual([
      "A",
      "2024-02-29",
      "12345678901234567890.123456789012345678",
      "9223372036854775807",
      "0.1",
      "true",
      "2024-02-29T01:02:03.004Z",
      "2024-02-29 01:02:03.123456",
    ]);
    expect(frame.column("close").toStrings()[2]).toBeNull();
    expect(seen.map(({ method }) => method)).toEqual(["POST", "GET", "GET", "GET"]);
    expect(seen[0]).toMatchObject({ url: "/v1/statement", body: "SELECT 1" });
    expect(seen[3].headers).toMatchObject({
      "x-trino-user": KEY,
      "x-trino-catalog": "main",
      "x-trino-time-zone": "UTC",
    });
  });

  it("a result without rows has its columns", async () => {
    script = [{ page: { columns } }];
    expect((await engine.query("SELECT 1")).columns).toHaveLength(8);
    script = [{ page: { columns }, raw: page("") }];
    expect((await engine.query("SELECT 1")).numRows).toBe(0);
  });

  it("any decimals, integers and texts are read back equal", async () => {
    const cell = fc.record({
      decimal: fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
      whole: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      text: fc.string({ unit: "grapheme" }),
    });
    await forAllAsync(runs(30), fc.array(cell, { minLength: 1, maxLength: 8 }), async (cells) => {
      const types = columnSpecs({ d: "decimal(38,0)", n: "bigint", t: "varchar" });
      const rows = cells.map(({ decimal, whole, text }) => `["${decimal}",${whole},${JSON.stringify(text)}]`);
      script = [{ raw: `{"id":"q","columns":${JSON.stringify(types)},"data":[${rows}],"stats":{}}` }];
      const frame = await engine.query("SELECT 1");
      expect(frame.column("d").toStrings()).toEqual(cells.map(({ decimal }) => String(decimal)));
      expect(frame.column("n").toStrings()).toEqual(cells.map(({ whole }) => String(whole)));
      expect(frame.column("t").toStrings()).toEqual(cells.map(({ text }) => text));
    });
  });

  it("streams batches, and cancels a result that is left early or stopped", async () => {
    script = [
      { raw: page(row, `,"nextUri":"${url}/next/a"`) },
      { raw: page(row, `,"nextUri":"${url}/next/b"`) },
      { raw: page(row) },
    ];
    for await (const batch of engine.batches("SELECT 1")) {
      expect(batch.numRows).toBe(1);
      break;
    }
    await expect.poll(() => seen.at(-1)).toMatchObject({ method: "DELETE", url: "/next/a" });
    seen = [];
    script = [{ raw: page(row, `,"nextUri":"${url}/next/c"`) }, { page: {} }, { page: {} }];
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      for await (const _ of engine.batches("SELECT 1", [], { signal: stop.signal })) stop.abort(new Error("enough"));
    };
    await expect(read()).rejects.toThrow("enough");
    await expect.poll(() => seen.at(-1)).toMatchObject({ method: "DELETE", url: "/next/c" });
  });

  it("refuses nested types, and values that do not fit their type", async () => {
    for (const type of ["array(bigint)", "map(varchar, bigint)", "row(a bigint)"]) {
      script = [{ page: { columns: [{ name: "odd", type }] } }];
      await expect(engine.query("SELECT 1")).rejects.toMatchObject({ code: "UnsupportedType", column: "odd" });
    }
    script = [{ page: { columns: [{ name: "d", type: "date" }], data: [["2024-02-30"]] } }];
    await expect(engine.query("SELECT 1")).rejects.toMatchObject({ code: "BadCell", column: "d" });
  });
});

describe("errors", () => {
  const failing = (errorName: string, errorType: string, message = "line 1:8: no") => ({
    page: { error: { message, errorName, errorType } },
  });

  it.each([
    ["SYNTAX_ERROR", "USER_ERROR", "BadStatement"],
    ["TABLE_NOT_FOUND", "USER_ERROR", "BadStatement"],
    ["INVALID_CAST_ARGUMENT", "USER_ERROR", "EngineData"],
    ["DIVISION_BY_ZERO", "USER_ERROR", "EngineData"],
    ["NUMERIC_VALUE_OUT_OF_RANGE", "USER_ERROR", "EngineData"],
    ["PERMISSION_DENIED", "USER_ERROR", "EngineAccess"],
    ["EXCEEDED_LOCAL_MEMORY_LIMIT", "INSUFFICIENT_RESOURCES", "EngineFailed"],
    ["GENERIC_INTERNAL_ERROR", "INTERNAL_ERROR", "EngineFailed"],
  ])("%s is %s %s", async (name, type, code) => {
    script = [failing(name, type)];
    await expect(engine.query("SELECT 1")).rejects.toMatchObject({ code, message: expect.stringContaining(name) });
  });

  it("an error after rows is an error, not a shorter table", async () => {
    script = [{ raw: page(row, `,"nextUri":"${url}/next/x"`) }, failing("GENERIC_INTERNAL_ERROR", "INTERNAL_ERROR")];
    await expect(engine.query("SELECT 1")).rejects.toMatchObject({ code: "EngineFailed" });
  });

  it("pages are fetched again while the server is busy or the connection breaks; a statement only if it was not taken", async () => {
    script = [
      { status: 503, raw: "busy" },
      { page: {} },
      { status: 502, raw: "" },
      { page: {}, cut: true },
      { raw: page(row) },
    ];
    expect((await engine.query("SELECT 1")).numRows).toBe(1);
    expect(seen.map(({ method }) => method)).toEqual(["POST", "POST", "GET", "GET", "GET"]);
    script = [{ page: {}, cut: true }];
    seen = [];
    await expect(engine.query("SELECT 1")).rejects.toMatchObject({ code: "ConnectionLost" });
    expect(seen).toHaveLength(1);
    script = Array.from({ length: 9 }, () => ({ status: 429, headers: { "retry-after": "0" }, raw: "slow down" }));
    await expect(engine.query("SELECT 1")).rejects.toMatchObject({ code: "EngineBusy", status: 429 });
  });

  it("a server that asks for a longer wait than retries have is not waited for", async () => {
    for (const retryAfter of ["7200", "301", "9".repeat(30)]) {
      script = Array.from({ length: 3 }, () => ({ status: 503, headers: { "retry-after": retryAfter }, raw: "later" }));
      const began = performance.now();
      await expect(engine.query("SELECT 1")).rejects.toMatchObject({
        code: "EngineBusy",
        hint: expect.stringMatching(/Wait/),
      });
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(script).toHaveLength(2);
    }
  });

  it("rows without columns are an error, not an empty frame", async () => {
    script = [{ raw: `{"id":"q1","stats":{},"data":[[1],[2]]}` }];
    await expect(engine.query("SELECT 1")).rejects.toMatchObject({ code: "UnexpectedShape" });
    script = [{ page: {} }, { raw: `{"id":"q1","stats":{},"data":[[1]]}` }];
    await expect(engine.query("SELECT 1")).rejects.toMatchObject({ code: "UnexpectedShape" });
  });

  it("other replies, refusals and closed ports", async () => {
    script = [{ status: 401, raw: "Unauthorized" }];
    await expect(engine.query("SELECT 1")).rejects.toMatchObject({ code: "EngineAccess", status: 401 });
    script = [{ status: 404, raw: "<html><h1>Not here</h1></html>" }];
    await expect(engine.query("SELECT 1")).rejects.toMatchObject({
      code: "UnexpectedContent",
      message: expect.stringContaining("Not here"),
    });
    script = [{ raw: "[]" }];
    await expect(engine.query("SELECT 1")).rejects.toMatchObject({ code: "UnexpectedShape" });
    script = [{ status: 302, headers: { location: "https://elsewhere.example" }, raw: "" }];
    await expect(engine.query("SELECT 1")).rejects.toMatchObject({ code: "UnexpectedContent" });
    const closed = await closedPort();
    const none = trino({ url: `http://127.0.0.1:${closed}`, user: "u", retries: 0 });
    await expect(none.query("SELECT 1")).rejects.toMatchObject({ code: "Unreachable" });
  });

  it("never sends the key to another host, nor shows it", async () => {
    script = [{ page: { nextUri: `http://elsewhere.example/next?user=${KEY}` } }];
    const moved = await engine.query("SELECT 1").catch((error) => error);
    expect(moved).toMatchObject({ code: "BadRedirect" });
    script = [
      { page: { error: { message: `user ${KEY} may not`, errorName: "PERMISSION_DENIED", errorType: "USER_ERROR" } } },
    ];
    const denied = await engine.query("SELECT 1").catch((error) => error);
    for (const error of [moved, denied]) expect(`${error.message}${error.stack}${error.hint}`).not.toContain(KEY);
    for (const wrong of ["host", "ftp://host", `https://${KEY}@host`]) {
      expect(() => trino({ url: wrong, user: "u" })).toThrow(expect.objectContaining({ code: "BadAddress" }));
    }
    expect(() => trino({ url, user: "" })).toThrow(expect.objectContaining({ code: "BadArgument" }));
    expect(() => trino({ url, user: "u", catalogue: "x" } as never)).toThrow(
      expect.objectContaining({ code: "UnknownOption" }),
    );
  });
});

describe("a session", () => {
  const bodies = () => seen.filter(({ method }) => method === "POST");

  it("carries what statements change, as the server keeps nothing", async () => {
    const own = trino({ url, user: "ann", schema: "s", session: { query_max_run_time: "10m" } });
    const changes: Reply["headers"][] = [
      { "x-trino-set-catalog": "tpch", "x-trino-set-schema": "tiny" },
      { "x-trino-set-session": "join_max=a%2Cb+c" },
      { "x-trino-added-prepare": "p=SELECT+%27%C3%A9%27" },
      { "x-trino-clear-session": "join_max" },
      { "x-trino-deallocated-prepare": "p" },
      {},
    ];
    for (const headers of changes) {
      script = [{ page: { columns }, headers }];
      await own.query("SELECT 1");
    }
    const sent = bodies().map(({ headers }) => [
      headers["x-trino-catalog"],
      headers["x-trino-schema"],
      headers["x-trino-session"],
      headers["x-trino-prepared-statement"],
    ]);
    expect(sent).toEqual([
      ["main", "s", "query_max_run_time=10m", undefined],
      ["tpch", "tiny", "query_max_run_time=10m", undefined],
      ["tpch", "tiny", "query_max_run_time=10m,join_max=a%2Cb+c", undefined],
      ["tpch", "tiny", "query_max_run_time=10m,join_max=a%2Cb+c", "p=SELECT+%27%C3%A9%27"],
      ["tpch", "tiny", "query_max_run_time=10m", "p=SELECT+%27%C3%A9%27"],
      ["tpch", "tiny", "query_max_run_time=10m", undefined],
    ]);
  });

  it("sends names and passwords as the server reads them, or refuses them", async () => {
    script = [{ page: { columns } }];
    await trino({ url, user: "Zoë", password: "pässword" }).query("SELECT 1");
    script = [{ page: { columns } }];
    await trino({ url, user: "ann", token: "a.b.c" }).query("SELECT 1");
    const [first, second] = bodies();
    expect(first.headers["x-trino-user"]).toBe("Zoë");
    expect(Buffer.from(String(first.headers.authorization).slice(6), "base64").toString("latin1")).toBe("Zoë:pässword");
    expect(second.headers.authorization).toBe("Bearer a.b.c");
    for (const wrong of [{ user: "Łukasz" }, { schema: "数据" }, { catalog: "a\nb" }, { password: "ł" }]) {
      expect(() => trino({ url, user: "ann", ...wrong })).toThrow(expect.objectContaining({ code: "BadArgument" }));
    }
  });

  it("sends no password or token without TLS, but to this machine", () => {
    for (const secret of [{ password: "p" }, { token: "t" }]) {
      const far = { url: "http://trino.example.com", user: "ann", ...secret };
      expect(() => trino(far)).toThrow(
        expect.objectContaining({ code: "BadAddress", hint: expect.stringMatching(/https/) }),
      );
    }
  });

  it("hides a key that is passed as the user, not the name of a person", async () => {
    const denied = {
      page: { error: { message: "ann may not", errorName: "PERMISSION_DENIED", errorType: "USER_ERROR" } },
    };
    script = [denied];
    await expect(trino({ url, user: "ann" }).query("SELECT 1")).rejects.toMatchObject({
      message: expect.stringContaining("ann may not"),
    });
    for (const key of ["abcdefghijklmnopqrst", "letters@1234567890", "KEY12345"]) {
      script = [
        { page: { error: { message: `${key} may not`, errorName: "PERMISSION_DENIED", errorType: "USER_ERROR" } } },
      ];
      const error = await trino({ url, user: key })
        .query("SELECT 1")
        .catch((each) => each);
      expect(`${error.message}${error.stack}`).not.toContain(key);
    }
  });

  it("keeps the path of the address", async () => {
    script = [{ page: { columns } }];
    await trino({ url: `${url}/gateway/trino/`, user: "ann" }).query("SELECT 1");
    expect(seen[0].url).toBe("/gateway/trino/v1/statement");
  });

  it("batches of one result have one schema", async () => {
    const text = [{ name: "t", type: "varchar" }];
    const pageOf = (values: string[]) =>
      JSON.stringify({ id: "q", stats: {}, columns: text, data: values.map((v) => [v]) });
    const many = Array.from({ length: 5_000 }, (_, i) => `text ${i} of many`);
    const few = Array.from({ length: 5_000 }, (_, i) => `few ${i % 3}`);
    for (const pages of [
      [many, few],
      [few, many],
    ]) {
      script = pages.map((values, i) => ({
        raw: i === 0 ? pageOf(values).replace(/}$/, `,"nextUri":"${url}/next/1"}`) : pageOf(values),
      }));
      const types = new Set<string>();
      const read: unknown[] = [];
      for await (const batch of engine.batches("SELECT 1")) {
        types.add(String(batch.schema));
        for (const value of batch.getChildAt(0) ?? []) read.push(value);
      }
      expect(types.size).toBe(1);
      expect(read).toEqual(pages.flat());
    }
  });

  it.each([
    ["SYNTAX_ERROR", undefined],
    ["TABLE_NOT_FOUND", 'Names as in the catalog: SELECT * FROM "VENDOR"."TABLE".'],
  ])("the hint of %s is %s", async (errorName, hint) => {
    script = [{ page: { error: { message: "no", errorName, errorType: "USER_ERROR" } } }];
    const error = await engine.query("SELECT 1").catch((each) => each);
    expect([error.code, error.hint]).toEqual(["BadStatement", hint]);
  });

  it("a cell that does not fit says what the statement can do", async () => {
    script = [{ raw: page(row.replace("2024-02-29 01:02:03.004 UTC", "2024-02-29 01:02:03.004 Europe/Berlin")) }];
    await expect(engine.query("SELECT 1")).rejects.toMatchObject({
      column: "at",
      hint: expect.stringContaining("AT TIME ZONE 'UTC'"),
    });
  });

  it("waits until the date of Retry-After", async () => {
    const date = new Date().toUTCString();
    const later = new Date(Date.parse(date) + 400_000).toUTCString();
    script = [{ status: 503, headers: { "retry-after": later, date }, raw: "later" }];
    await expect(engine.query("SELECT 1")).rejects.toMatchObject({
      code: "EngineBusy",
      hint: "Wait 400 seconds, as the server asks.",
    });
  });
});

describe("parameters", () => {
  const sent = async (sql: string, params?: readonly unknown[]): Promise<string> => {
    script = [{ page: { columns } }];
    seen = [];
    await engine.query(sql, params);
    return seen[0].body;
  };

  it("are typed literals, and nothing inside strings, names and comments is one", async () => {
    const values = ["it's; -- $2", 5, 0.1, -0, 2n ** 63n, true, null, new Date(0), Number.NaN, 2n ** 62n];
    const list = values.map((_, i) => `$${i + 1}`).join(", ");
    expect(await sent(`SELECT ${list}`, values)).toBe(
      "SELECT 'it''s; -- $2', 5, DOUBLE '0.1', DOUBLE '-0', DECIMAL '9223372036854775808', true, NULL, TIMESTAMP '1970-01-01 00:00:00.000 UTC', nan(), BIGINT '4611686018427387904'",
    );
    const still = "SELECT '$1 it''s', \"$1\" /* $1 */ -- $1\n FROM t";
    expect(await sent(still)).toBe(still);
  });

  it.each([
    ["SELECT 1 ; -- done", "SELECT 1"],
    ["SELECT ';' ; /* ; */ ;\n", "SELECT ';'"],
    ["SELECT 1 -- a;\n, 2;", "SELECT 1 -- a;\n, 2"],
  ])("%j is sent as %j", async (sql, body) => {
    expect(await sent(sql)).toBe(body);
  });

  it("small numbers are integers, as LIMIT needs", async () => {
    expect(await sent("SELECT $1, $2, $3 LIMIT $4", [-2, 2 ** 31, 1.5, 10])).toBe(
      "SELECT (-2), BIGINT '2147483648', DOUBLE '1.5' LIMIT 10",
    );
  });

  it("an empty statement is not sent", async () => {
    for (const sql of ["", " ;", "-- nothing"]) {
      await expect(engine.query(sql)).rejects.toMatchObject({ code: "BadStatement" });
    }
  });

  it("no value makes a comment or changes what is beside it", async () => {
    const value = fc.oneof(
      fc.constantFrom(-Infinity, Infinity, Number.NaN, -0, null, true),
      fc.double(),
      fc.bigInt({ min: -(2n ** 126n), max: 2n ** 126n }).filter((n) => String(n).length < 38),
    );
    await forAllAsync(runs(100), value, async (each) => {
      const body = await sent("SELECT 1-$1 - $1, 2", [each]);
      expect(body).not.toContain("--");
      expect(body).toMatch(/^SELECT 1-(\S.*) - \1, 2$/);
      expect(body).not.toMatch(/^SELECT 1--/);
    });
    expect(await sent("SELECT 1-$1", [-Infinity])).toBe("SELECT 1-(-infinity())");
  });

  it("any text ends where its literal ends", async () => {
    await forAllAsync(
      runs(50),
      fc.string({ unit: fc.constantFrom("'", "a", "\\", "$1", "--", "\n", '"') }),
      async (text) => {
        const body = await sent("SELECT $1, $1", [text]);
        const [, inner] = /^SELECT '((?:[^']|'')*)', '\1'$/.exec(body) ?? [];
        expect(inner?.replaceAll("''", "'")).toBe(text);
      },
    );
  });

  it("refuses what cannot be bound", async () => {
    for (const params of [[], [1, 2], [undefined], [{}], [10n ** 38n], [new Date(Number.NaN)], "x"]) {
      await expect(engine.query("SELECT $1", params as never)).rejects.toMatchObject({ code: "BadArgument" });
    }
  });
});

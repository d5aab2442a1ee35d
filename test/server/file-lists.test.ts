import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import { Frame } from "../../src/frame/frame.js";
import { defineProfile, nasdaqDataLink } from "../../src/spec/profile.js";
import { faultServer, ranged } from "../faults/fault-server.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { sampleOf, started } from "./support.js";

const profile = defineProfile(nasdaqDataLink, {
  fileLists: { ...nasdaqDataLink.fileLists.value, rowsPerFile: 7_000 },
});
const apiKeys = { sample: { subscriptions: "all" }, free: { subscriptions: [] } } as const;
const service = await started({ data: sampleOf("MARKET/PRICES"), profile, apiKeys });
const LIST = "/api/v1/bulkdownloads/MARKET/PRICES";
interface Listed {
  readonly status: string;
  readonly files: { readonly url: string; readonly size: number }[];
}

/** Asks as the tool `ndlbulkdownload` does: by POST, with the key in a header, until the files are made. */
async function listed(query: Readonly<Record<string, string>> = {}, key = "sample"): Promise<Listed> {
  for (;;) {
    const body = new URLSearchParams(query);
    const reply = await fetch(service.url + LIST, { method: "POST", headers: { "x-api-token": key }, body });
    if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`);
    const { bulk_download: list } = (await reply.json()) as { bulk_download: Listed };
    if (list.status === "SUCCEEDED") return list;
    expect(list).toEqual({ status: "RUNNING", files: [], errors: [] });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function frameOf({ files }: Listed): Promise<Frame> {
  const frames = await Promise.all(
    files.map(async ({ url, size }) => {
      const reply = await fetch(`${url}&qopts.redirect=true`, { headers: { "x-api-token": "sample" } });
      const bytes = new Uint8Array(await reply.arrayBuffer());
      expect([reply.headers.get("content-type"), bytes.length]).toEqual(["application/vnd.apache.parquet", size]);
      return Frame.fromParquet(bytes);
    }),
  );
  return Frame.concat(frames);
}

const client = connect({ url: service.url, apiKey: "sample", profile, limits: { windows: [] } });
const table = client.table("MARKET/PRICES");
const all = await table.frame();
const lines = (frame: Frame): string[] => frame.toCSV().split("\n");

describe("the list of the files of a table", () => {
  it("has all rows in order, with their types", async () => {
    const list = await listed();
    expect(list.files.map(({ url }) => new URL(url).pathname.split("/").at(-1))).toEqual(
      [1, 2, 3, 4, 5].map((n) => `MARKET_PRICES-000${n}.parquet`),
    );
    const frame = await frameOf(list);
    expect(frame.columns).toEqual(all.columns);
    expect(lines(frame)).toEqual(lines(all));
  });

  it("has the rows of a filter and columns in one file", async () => {
    const list = await listed({ "ticker.in[]": "AAA", "date.gte": "2024-12-01", "qopts.columns": "date,close" });
    expect(list.files).toHaveLength(1);
    const rows = table.where({ ticker: "AAA", date: { gte: "2024-12-01" } }).select("date", "close");
    expect(lines(await frameOf(list))).toEqual(lines(await rows.frame()));
  });

  it("is of subscribers, and of the profile alone", async () => {
    await expect(listed({}, "free")).rejects.toThrow(/403.*QEPx04/);
    await expect(listed({ volume: "1" })).rejects.toThrow(/422.*QESx08/);
    const other = await started({ data: sampleOf("MARKET/PRICES") });
    expect((await fetch(`${other.url}${LIST}?api_key=sample`)).status).toBe(400);
    const strict = connect({ url: other.url, apiKey: "sample" }).table("MARKET/PRICES");
    await expect(strict.mirror(temporaryFolder(), { files: true })).rejects.toMatchObject({ code: "BadArgument" });
  });

  it("is the source of a mirror in a folder and in a DuckDB file", async () => {
    const root = temporaryFolder();
    for (const name of ["copy", "copy.duckdb"]) {
      const copy = await table.mirror(join(root, name), { files: true });
      expect(lines(await copy.frame())).toEqual(lines(all));
      expect((await copy.sync()).change).toBe("none");
    }
    expect(readdirSync(join(root, "copy/v000001"))).toEqual(["rows.parquet"]);
    const some = table.where({ ticker: "AAA" }).select("ticker", "date", "close");
    const copy = await some.mirror(join(root, "some"), { files: true });
    expect(lines(await copy.frame())).toEqual(lines(await some.frame()));
  });
});

describe("a mirror by a list of files", () => {
  const COLUMNS = columnSpecs({ ticker: "String", close: "BigDecimal(9,2)" });
  /** A service with files of 2,000 rows, whose replies the test changes. */
  async function fake() {
    const server = await faultServer();
    const files = await Promise.all(
      [0, 1, 2].map(async (n) => {
        const rows = Array.from({ length: 2_000 }, (_, i) => ({ ticker: `T${n}-${i}`, close: `${i % 97}.25` }));
        const path = join(temporaryFolder(), "part.parquet");
        await Frame.fromRows(rows, COLUMNS).toParquet(path);
        return readFileSync(path);
      }),
    );
    const state = {
      lists: 0,
      statuses: ["SUCCEEDED"],
      sizes: files.map((bytes) => bytes.length),
      paths: files.map((_, i) => `/file/part-${i}.parquet`),
    };
    server.on("/api/v3/datatables/V/T/metadata", () => ({
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        datatable: {
          vendor_code: "V",
          datatable_code: "T",
          name: "T",
          description: null,
          columns: COLUMNS,
          filters: [],
          primary_key: ["ticker"],
          premium: false,
          status: { refreshed_at: "2025-01-01T00:00:00Z", status: "OK", expected_at: null, update_frequency: "DAILY" },
        },
      }),
    }));
    server.on("/api/v1/bulkdownloads/V/T", () => {
      const status = state.statuses[Math.min(state.lists++, state.statuses.length - 1)];
      const list = state.sizes.map((size, i) => ({ url: server.url + state.paths[i], size }));
      return {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ bulk_download: { status, files: status === "SUCCEEDED" ? list : [] } }),
      };
    });
    const serveFile = (i: number) => server.on(`/file/part-${i}.parquet`, ranged(files[i], { etag: `"${i}"` }));
    files.forEach((_, i) => void serveFile(i));
    const open = (folder: string) =>
      connect({ url: server.url, apiKey: "canary-key-0123456789abcdef", profile, retry: { budget: 1 } })
        .table("V/T")
        .mirror(folder, { files: true });
    return { server, files, state, serveFile, open };
  }

  it("waits for its list, and resumes what a broken run left", async () => {
    const { server, files, state, serveFile, open } = await fake();
    state.statuses.unshift("PENDING");
    const folder = join(temporaryFolder(), "copy");
    server.on("/file/part-1.parquet", () => ({ status: 404, body: "" }));
    await expect(open(folder)).rejects.toMatchObject({ name: "ServiceError" });
    serveFile(1);
    const before = server.count("/file/part-0.parquet");
    const copy = await open(folder);
    expect((await copy.frame()).numRows).toBe(6_000);
    expect((await copy.frame()).columns.map(({ type }) => type)).toEqual(["String", "BigDecimal(9,2)"]);
    expect(before).toBe(1);
    expect(files).toHaveLength(3);
    expect(readdirSync(join(folder, "v000001"))).toEqual(["rows.parquet"]);
    await server.close();
  });

  it("refuses a list that ends early", async () => {
    const { server, open } = await fake();
    const headers = { "content-type": "application/json" };
    server.on("/api/v1/bulkdownloads/V/T", () => ({ headers, body: '{"bulk_download": {' }));
    await expect(open(join(temporaryFolder(), "copy"))).rejects.toMatchObject({ code: "TruncatedJson" });
    await server.close();
  });

  it("asks again for an address that expired, if the list is the same", async () => {
    const { server, files, state, open } = await fake();
    const expire = () =>
      server.on("/file/part-2.parquet", { status: 403, body: "" }, ranged(files[2], { etag: '"2"' }));
    expire();
    expect((await (await open(join(temporaryFolder(), "copy"))).frame()).numRows).toBe(6_000);
    expect(state.lists).toBe(2);
    // Refreshed in the meantime; the file has the same name and length, but another has not.
    server.on("/file/part-2.parquet", () => {
      state.sizes[0] += 1;
      expire();
      return { status: 403, body: "" };
    });
    await expect(open(join(temporaryFolder(), "copy"))).rejects.toMatchObject({ code: "FileReplaced" });
    await server.close();
  });

  it("has the rows of files with one name in two folders", async () => {
    const { server, files, state, open } = await fake();
    state.paths = [0, 1, 2].map((i) => `/${i}/part.parquet`);
    state.sizes.fill(0);
    for (const [i, bytes] of files.entries()) {
      server.on(state.paths[i], { status: 403, body: "" }, ranged(bytes, { etag: `"${i}"` }));
    }
    const frame = await (await open(join(temporaryFolder(), "copy"))).frame();
    expect(new Set(frame.column("ticker").toArray()).size).toBe(6_000);
    await server.close();
  });

  it.each([
    ["a file of another length than listed", "BadParquet", (f: Fake) => f.state.sizes.fill(5)],
    [
      "a file that is not Parquet",
      "UnexpectedContent",
      (f: Fake) => f.server.on("/file/part-2.parquet", () => ({ body: "no" })),
    ],
    [
      "a file without a column",
      "ReplyContradicts",
      (f: Fake) => f.server.on("/file/part-2.parquet", () => ({ body: f.other })),
    ],
    [
      "a list that failed",
      "COLUMN_FILTER_FAILURE",
      (f: Fake) => f.state.statuses.splice(0, 2, ...["COLUMN_FILTER_FAILURE"]),
    ],
    ["an unknown state", "UnknownStatus", (f: Fake) => f.state.statuses.splice(0, 2, ...["SLEEPING"])],
    [
      "a list without addresses",
      "UnexpectedShape",
      (f: Fake) =>
        f.server.on("/api/v1/bulkdownloads/V/T", () => ({
          headers: { "content-type": "application/json" },
          body: '{"bulk_download":{"status":"SUCCEEDED","files":[{}]}}',
        })),
    ],
  ])("refuses %s, and keeps no copy", async (_, code, change) => {
    const made = await fake();
    const path = join(temporaryFolder(), "other.parquet");
    await Frame.fromRows([{ ticker: "A" }], COLUMNS.slice(0, 1)).toParquet(path);
    const other = readFileSync(path);
    change({ ...made, other });
    if (code === "ReplyContradicts") made.state.sizes[2] = other.length;
    const folder = join(temporaryFolder(), "copy");
    await expect(made.open(folder)).rejects.toMatchObject({ code });
    await made.server.close();
  });
  type Fake = Awaited<ReturnType<typeof fake>> & { readonly other: Buffer };
});

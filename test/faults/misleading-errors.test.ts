import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { archiveOf, json, serviceOf } from "./bulk-fixtures.js";
import { cutWhenWritten } from "./cut-when-written.js";
import { type Answer, faultServer, ranged } from "./fault-server.js";

/* Errors whose obvious reading is wrong: the key is not at fault, or the service has said what is and it was lost. */
const server = await faultServer();
const other = await faultServer();
const folder = temporaryFolder("misleading");
afterAll(async () => {
  await Promise.all([server.close(), other.close()]);
});
beforeEach(() => {
  server.reset();
  other.reset();
});

const T = "/api/v3/datatables/V/T.json";
const failure = (status: number, code: string, message: string): Answer => ({
  status,
  headers: json,
  body: JSON.stringify({ error: { code, message } }),
});
const failed = async (work: Promise<unknown>) =>
  work.then(
    () => {
      throw new Error("it succeeded");
    },
    (error) => error,
  );
const frame = () => serviceOf(server).table("V/T").frame();
const host = (url: string): string => new URL(url).host;
const BLAMES = /subscri|may not read|Check the API key|needs an API key/i;

it("row 8: https at a service without encryption is a wrong address, not a broken connection", async () => {
  const url = server.url.replace("http:", "https:");
  expect(await failed(serviceOf(server, { url }).table("V/T").frame())).toMatchObject({
    code: "Tls",
    message: expect.stringMatching(/^The secure connection to 127\.0\.0\.1:\d+ failed: \w+\.$/),
    hint: "If the service has no encryption, its address begins with http, not https.",
  });
});

describe("an API that has moved to another host", () => {
  const moved = (status = 301): Answer => ({ status, headers: { location: `${other.url}${T}?x=1` } });

  it.each([
    failure(403, "QEPx04", "You do not have permission to view this datatable. Please subscribe."),
    failure(403, "QEAx03", "A valid API key is required."),
    failure(400, "QEAx01", "We could not recognize your API key."),
    { status: 401, body: "" },
    { status: 403, headers: { "content-type": "text/html" }, body: "<html><title>Forbidden</title></html>" },
  ])("row 16: the error names both hosts and the address to connect to", async (answer) => {
    server.on(T, moved());
    other.on("/", answer);
    const error = await failed(frame());
    expect(error).toMatchObject({ name: "ServiceError", status: expect.any(Number) });
    expect(error.message).toContain(`${host(server.url)} redirected the call to ${host(other.url)}`);
    expect(error.message).toContain("key");
    expect(error.hint).toContain(`connect({ url: "${other.url}" })`);
    expect(error.hint).not.toMatch(BLAMES);
    expect(`${error.message}${error.hint}`).not.toContain("canary");
    expect(JSON.stringify(other.seen)).not.toContain("canary");
  });

  it("row 16: any other refusal there names both hosts too", async () => {
    server.on(T, moved(302));
    other.on("/", failure(404, "QECx02", "No such table."));
    const error = await failed(frame());
    expect(error).toMatchObject({ code: "QECx02", status: 404, message: expect.stringContaining("No such table.") });
    expect(error.message).toContain(`${host(server.url)} redirected the call to ${host(other.url)}`);
  });

  it("row 10, 16: a login page there names both hosts", async () => {
    server.on(T, moved(302));
    other.on("/", { headers: { "content-type": "text/html" }, body: "<html><title>Sign in</title></html>" });
    const error = await failed(frame());
    expect(error).toMatchObject({ code: "UnexpectedContent", status: 200 });
    expect(error.message).toContain(`${host(server.url)} redirected the call to ${host(other.url)}`);
  });

  it("row 16: a redirect within the service keeps the key and changes no message", async () => {
    server.on(T, { status: 301, headers: { location: "/elsewhere" } });
    server.on("/elsewhere", failure(403, "QEPx04", "Please subscribe."));
    const error = await failed(frame());
    expect(error.hint).toMatch(/Subscribe/);
    expect(error.message).not.toContain("redirected");
    expect(server.seen.at(-1)?.query.get("api_key")).toContain("canary");
  });
});

describe("an error body that comes with status 200", () => {
  it.each([
    ['{"errors":[{"code":"QECx02","message":"No such table."}]}', "QECx02"],
    ['{"quandl_error":{"code":"QECx02","message":"No such table."}}', "QECx02"],
    ['\ufeff{"code":"QECx02","message":"No such table."}', "QECx02"],
    ['{"status":"failed","error":{"message":"No such table."},"datatable":null}', "HTTP200"],
  ])("row 15: %s", async (body, code) => {
    server.on(T, { headers: json, body });
    const error = await failed(frame());
    expect(error).toMatchObject({ name: "ServiceError", code, status: 200 });
    expect(error.message).toContain("No such table.");
    expect(server.count(T)).toBe(1);
  });

  it("row 15: in XML and CSV", async () => {
    server.on("/api/v3/datatables/V/T/metadata", failure(404, "QECx02", "metadata"));
    const xml =
      "<quandl-response><quandl-error><code>QECx02</code><message>No such set.</message></quandl-error></quandl-response>";
    server.on("/api/v3/datasets/D/S/data.xml", { headers: { "content-type": "application/xml" }, body: xml });
    const inXML = await failed(serviceOf(server).dataset("D/S").format("xml").frame());
    expect(inXML).toMatchObject({ name: "ServiceError", code: "QECx02" });
    server.on("/api/v3/datasets/D/S/data.csv", {
      headers: { "content-type": "text/csv" },
      body: "code,message\nQECx02,No such set.\n",
    });
    const inCSV = await failed(serviceOf(server).dataset("D/S").format("csv").frame());
    expect(inCSV).toMatchObject({ name: "ServiceError", code: "QECx02" });
  });

  it("row 11: one that may pass is asked for again", async () => {
    const page = {
      datatable: { data: [["a"]], columns: [{ name: "code", type: "String" }] },
      meta: { next_cursor_id: null },
    };
    server.on(
      T,
      { headers: json, body: '{"error":{"code":"QEXx01","message":"took too long"}}' },
      { headers: json, body: JSON.stringify(page) },
    );
    expect((await frame()).numRows).toBe(1);
    expect(server.count(T)).toBe(2);
  });

  it("a table whose columns are called code and message is a table", async () => {
    const columns = columnSpecs({ code: "String", message: "String" });
    const page = { datatable: { data: [["E1", "No."]], columns }, meta: { next_cursor_id: null, error: null } };
    server.on(T, { headers: json, body: JSON.stringify(page) });
    expect((await frame()).numRows).toBe(1);
  });
});

describe("the storage behind a database file", () => {
  const DATA = "/api/v3/databases/EOD/data";
  const zip = archiveOf("Code,Date,Close\nA,2024-02-29,1.5\n");
  const expired: Answer = {
    status: 403,
    headers: { "content-type": "application/xml" },
    body: "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>",
  };
  const toStorage = (path: string): Answer => ({ status: 302, headers: { location: `${other.url}${path}?sig=1` } });
  const save = (path: string) => serviceOf(server).database("EOD").bulk().saveZip(join(folder, path));

  it.each([400, 403, 404, 410])("row 17: a link that is refused with %i is requested again", async (status) => {
    server.on(DATA, toStorage("/old"), toStorage("/new"));
    other.on("/old", { ...(expired as object), status });
    other.on("/new", ranged(zip, { etag: '"1"' }));
    const path = `renewed-${status}.zip`;
    await save(path);
    expect(readFileSync(join(folder, path)).equals(zip)).toBe(true);
    expect(server.count(DATA)).toBe(2);
    expect(server.seen[1].headers["cache-control"]).toBe("no-cache");
  });

  it("row 17: a link that expires in the middle is requested again, and the download resumes", async () => {
    server.on(DATA, toStorage("/old"), toStorage("/old"), toStorage("/new"));
    other.on("/old", ranged(zip, { etag: '"1"' }, cutWhenWritten(folder, 30)), expired);
    other.on("/new", ranged(zip, { etag: '"1"' }));
    await save("middle.zip");
    expect(readFileSync(join(folder, "middle.zip")).equals(zip)).toBe(true);
    expect(other.seen.at(-1)?.headers["range"]).toBe("bytes=30-");
  });

  it("row 17: one that is always refused is the storage's error, not the key's", async () => {
    server.on(DATA, toStorage("/old"));
    other.on("/old", expired);
    const error = await failed(save("never.zip"));
    expect(error).toMatchObject({ name: "ServiceError", code: "AccessDenied", status: 403 });
    expect(error.message).toBe(
      `${host(other.url)}, which stores the file of EOD, rejected the download: Request has expired (AccessDenied, status 403)`,
    );
    expect(`${error.message} ${error.hint}`).not.toMatch(BLAMES);
    expect(error.hint).toMatch(/link/);
    expect(server.count(DATA)).toBe(4);
    expect(existsSync(join(folder, "never.zip"))).toBe(false);
    expect(JSON.stringify(other.seen)).not.toContain("canary");
  });

  it("row 15: the service's own refusal is not asked for again, and may blame the key", async () => {
    server.on(DATA, failure(403, "QEPx04", "Please subscribe."));
    expect(await failed(save("refused.zip"))).toMatchObject({
      code: "QEPx04",
      hint: expect.stringMatching(/Subscribe/),
    });
    expect(server.count(DATA)).toBe(1);
  });
});

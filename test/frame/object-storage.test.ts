import { createHash, createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { Frame, isArrowbookError } from "../../src/index.js";
import { sendPart } from "../support/range-server.js";

/*
 * Objects at s3:// addresses, whose signatures are compared with those of AWS Signature Version 4 as its documentation
 * describes them. test/clients/storage.mjs reads from an object storage.
 */

const KEY = "AKIDEXAMPLE";
const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const TOKEN = "a-session-token";
const NAMES = ["ENDPOINT_URL", "ENDPOINT_URL_S3", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "REGION"];
const before = NAMES.map((name) => process.env[`AWS_${name}`]);

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** The signature of a request as it was sent. */
function signatureOf(target: string, headers: IncomingHttpHeaders): string {
  const [, scope = "", signed = ""] =
    /Credential=AKIDEXAMPLE\/(\S+), SignedHeaders=(\S+),/.exec(String(headers.authorization)) ?? [];
  const [path, query = ""] = target.split("?");
  const lines = signed.split(";").map((name) => `${name}:${String(headers[name])}\n`);
  const request = ["GET", path, query.split("&").sort().join("&"), lines.join(""), signed, "UNSIGNED-PAYLOAD"];
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash(request.join("\n"))].join("\n");
  const key = scope.split("/").reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${SECRET}`);
  return hmac(key, text).toString("hex");
}

const objects: Record<string, Uint8Array> = {};
const asked: { readonly target: string; readonly headers: IncomingHttpHeaders }[] = [];
const server = createServer((request, response) => {
  const target = request.url ?? "";
  asked.push({ target, headers: request.headers });
  const url = new URL(target, "http://x");
  const key = decodeURIComponent(url.pathname).slice("/bucket/".length);
  if (url.searchParams.get("list-type") === "2") return void response.end(listOf(url.searchParams));
  const bytes = objects[key];
  if (bytes === undefined) response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
  else sendPart(request, response, bytes);
});

/** Whether the server has the first version of lists alone. */
let isFirstVersion = false;

/** Whether the server sends the first page of a list whatever the token. */
let isDeaf = false;

/** Whether the server lists keys as they are. */
let isPlain = false;

/** Pages of two keys. */
function listOf(query: URLSearchParams): string {
  const keys = Object.keys(objects).filter((key) => key.startsWith(query.get("prefix") ?? ""));
  const token = isDeaf ? null : query.get("continuation-token");
  const from = Number(token?.slice("<&".length) ?? 0);
  const listed = (key: string): string => (isPlain ? key.replaceAll("&", "&amp;") : encodeURIComponent(key));
  const names = keys.slice(from, from + 2).map((key) => `<Contents><Key>${listed(key)}</Key></Contents>`);
  if (isFirstVersion)
    return "<ListBucketResult><IsTruncated>true</IsTruncated><NextMarker>a</NextMarker></ListBucketResult>";
  const next = from + 2 < keys.length ? `<NextContinuationToken>&lt;&amp;${from + 2}</NextContinuationToken>` : "";
  return `<?xml version="1.0"?><ListBucketResult xmlns="x">${isPlain ? "" : "<EncodingType>url</EncodingType>"}${names.join("")}${next}</ListBucketResult>`;
}

const failure = async (read: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> => {
  const error: unknown = await read.catch((cause: unknown) => cause);
  if (!isArrowbookError(error)) throw error;
  return error;
};

beforeAll(async () => {
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const csv = new TextEncoder().encode("a\n1\n");
  for (const name of ["data/2.csv", "data/10.csv", "data/x/3.csv", "data/_log.csv", "data/note.md"])
    objects[name] = csv;
  // A folder as consoles create it.
  objects["data/x/"] = new Uint8Array(0);
  for (const name of ["odd/a b+c (1)*'~é%41&=?#.csv", "part/k=1/a.parquet"]) objects[name] = csv;
});

beforeEach(() => {
  asked.length = 0;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  [url, undefined, KEY, SECRET, TOKEN, "eu-central-1"].forEach((value, i) => {
    if (value === undefined) delete process.env[`AWS_${NAMES[i]}`];
    else process.env[`AWS_${NAMES[i]}`] = value;
  });
});

afterAll(async () => {
  NAMES.forEach((name, i) => {
    if (before[i] === undefined) delete process.env[`AWS_${name}`];
    else process.env[`AWS_${name}`] = before[i];
  });
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

it("requests are signed for the region, with the session token, whatever the key", async () => {
  for (const key of Object.keys(objects).filter((name) => name.endsWith(".csv"))) {
    expect((await Frame.fromCSV(`s3://bucket/${key}`)).numRows).toBe(1);
  }
  await Frame.fromCSV("s3://bucket/data/*.csv");
  expect(asked.length).toBeGreaterThan(8);
  for (const { target, headers } of asked) {
    expect(headers.authorization).toContain("/eu-central-1/s3/aws4_request");
    expect(headers["x-amz-security-token"]).toBe(TOKEN);
    expect(headers.authorization?.split("Signature=")[1], target).toBe(signatureOf(target, headers));
  }
});

it("a URL has its key percent-encoded", async () => {
  const [odd = ""] = Object.keys(objects).filter((name) => name.startsWith("odd/"));
  const address = new URL(`s3://bucket/${odd.split("/").map(encodeURIComponent).join("/")}`);
  expect((await Frame.fromCSV(address)).numRows).toBe(1);
});

it("a server that lists keys as they are is understood", async () => {
  isPlain = true;
  try {
    expect((await Frame.fromCSV("s3://bucket/odd/")).numRows).toBe(1);
  } finally {
    isPlain = false;
  }
});

it("without credentials, requests are not signed", async () => {
  delete process.env["AWS_SECRET_ACCESS_KEY"];
  await Frame.fromCSV("s3://bucket/data/2.csv");
  expect(asked).toHaveLength(1);
  expect(asked[0]?.headers.authorization).toBeUndefined();
});

it("patterns and folders are the files whose keys match, in natural order", async () => {
  const names = async (source: string): Promise<unknown[]> => {
    const frame = await Frame.fromCSV(source, { source: "file" });
    return frame.column("file").toArray();
  };
  expect(await names("s3://bucket/data/*.csv")).toEqual(["_log.csv", "2.csv", "10.csv"]);
  expect(await names("s3://bucket/data/")).toEqual(["2.csv", "10.csv", "x/3.csv"]);
  expect(await names("s3://bucket/data/{2,x/3}.csv")).toEqual(["2.csv", "x/3.csv"]);
  expect(await names("s3://bucket/data/**")).toEqual(["_log.csv", "2.csv", "10.csv", "note.md", "x/3.csv"]);
  expect(await failure(Frame.fromCSV("s3://bucket/none/*.csv"))).toMatchObject({ code: "NotAFile" });
  expect(await failure(Frame.fromParquet("s3://bucket/part/"))).toMatchObject({ code: "UnsupportedParquet" });
});

it("a list of which only a part can be read is an error", async () => {
  isFirstVersion = true;
  const error = await failure(Frame.fromCSV("s3://bucket/data/*.csv"));
  isFirstVersion = false;
  const listed = { code: "FileFailed", message: "The objects of s3://bucket/data/ cannot be listed." };
  expect(error).toMatchObject(listed);
  isDeaf = true;
  const endless = await failure(Frame.fromCSV("s3://bucket/data/*.csv"));
  isDeaf = false;
  expect(endless).toMatchObject(listed);
});

it("no message shows a key, and a wrong address says what is expected", async () => {
  const { code, message } = await failure(Frame.fromCSV("s3://bucket/none.csv"));
  expect({ code, message }).toEqual({
    code: "FileNotFound",
    message: "Cannot read s3://bucket/none.csv: it does not exist (status 404, NoSuchKey).",
  });
  expect(await failure(Frame.fromCSV("s3:///none.csv"))).toMatchObject({ code: "BadAddress" });
  process.env["AWS_ENDPOINT_URL"] = "none";
  expect(await failure(Frame.fromCSV("s3://bucket/none.csv"))).toMatchObject({ code: "BadAddress" });
});

it("requests go through the proxy of the environment, except to the hosts that it names", async () => {
  const names = ["HTTP_PROXY", "NO_PROXY", "http_proxy", "no_proxy", "ALL_PROXY", "all_proxy"];
  const kept = names.map((name) => process.env[name]);
  for (const name of names) delete process.env[name];
  try {
    process.env["HTTP_PROXY"] = process.env["AWS_ENDPOINT_URL"];
    process.env["NO_PROXY"] = "127.0.0.1";
    expect((await Frame.fromCSV("http://data.example/bucket/data/2.csv")).numRows).toBe(1);
    expect((await Frame.fromCSV("s3://bucket/data/2.csv")).numRows).toBe(1);
    expect(asked.map(({ target }) => target)).toEqual(["http://data.example/bucket/data/2.csv", "/bucket/data/2.csv"]);
  } finally {
    names.forEach((name, i) => {
      if (kept[i] === undefined) delete process.env[name];
      else process.env[name] = kept[i];
    });
  }
});

import { rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { fileResponse } from "../../src/server/http/file-response.js";
import { folderOf } from "./support.js";

const folder = folderOf({ "old.zip": "old", "new.zip": "newer" });
const file = (name: string, bytes: number) => ({
  path: join(folder, name),
  bytes,
  etag: `"${name}"`,
  id: "x",
  code: "V/T",
  version: name,
  snapshotTime: "2024-01-01T00:00:00Z",
});
const [old, newer] = [file("old.zip", 3), file("new.zip", 5)];

const request = (headers: Readonly<Record<string, string>> = {}, method = "GET") => ({
  method,
  header: (name: string) => headers[name],
});
const read = async (asked = request(), find = () => newer) => {
  const response = await fileResponse(old, asked, find);
  return response && [response.status, response.headers["etag"], response.body && (await text(response.body))];
};

it("a file that a newer one replaced since it was found is answered by the newer one", async () => {
  expect(await read()).toEqual([200, old.etag, "old"]);
  expect(await read(request({ range: "bytes=1-" }))).toEqual([206, old.etag, "ld"]);
  rmSync(old.path);
  expect(await read()).toEqual([200, newer.etag, "newer"]);
  const resumed = { range: "bytes=1-", "if-range": old.etag };
  expect(await read(request(resumed))).toEqual([200, newer.etag, "newer"]);
  expect(await read(request({ "if-match": old.etag }))).toEqual([412, newer.etag, undefined]);
  expect(await read(request({}, "HEAD"))).toEqual([200, old.etag, undefined]);
});

it("a file that is gone is not a response", async () => {
  expect(await read(request(), () => old)).toBeUndefined();
  expect(await fileResponse(old, request(), () => undefined)).toBeUndefined();
});

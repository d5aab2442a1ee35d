import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect } from "vitest";
import type { ConnectOptions } from "../../src/client/transport/settings.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { archiveOf, csvOf, EXPORT, exportAnswer, FILE, METADATA, metadata, serviceOf } from "./bulk-fixtures.js";
import { cutWhenWritten } from "./cut-when-written.js";
import { faultServer } from "./fault-server.js";

/** The server of all files of tests in a process: none closes it. */
export const server = await faultServer();

export const ROWS = 20_000;
export const csv = csvOf(ROWS);
export const zip = archiveOf(csv);
export const other = archiveOf(csvOf(ROWS, 2));
export const strong = { etag: '"one"' };
export const half = Math.floor(zip.length / 2);

export let folder = "";
/** Each test of the file that calls it has an empty folder, and an export at the server. */
export const withOneExport = () =>
  beforeEach(() => {
    server.reset();
    folder = temporaryFolder("t");
    server.on(METADATA, metadata);
    server.on(EXPORT, exportAnswer(server));
  });

const poll = { first: 5, longest: 20 };
export const exported = (options: ConnectOptions = {}, more: { stale?: "use" | "wait" } = {}) =>
  serviceOf(server, options)
    .table("V/T")
    .export({ poll, ...more });
export const target = () => join(folder, "T.zip");
/** Cuts a download after `at` bytes, when the partial file has `size`. */
export const cut = (at: number, size = at) => cutWhenWritten(folder, at, size);
export const save = (options?: ConnectOptions) => exported(options).saveZip(target());
export const fails = async (run: Promise<unknown>) =>
  run.then(
    () => {
      throw new Error("it succeeded");
    },
    (error) => error,
  );
export const ranges = () => server.seen.filter(({ path }) => path === FILE).map(({ headers }) => headers.range);
export const isWhole = () => expect(readFileSync(target()).equals(zip)).toBe(true);
export const left = () => readdirSync(folder).sort();

import { beforeEach } from "vitest";
import { connect } from "../../src/client/service.js";
import type { ConnectOptions } from "../../src/client/transport/settings.js";
import { json, metadataFilteredBy, page } from "./bulk-fixtures.js";
import { type Answer, faultServer } from "./fault-server.js";

/** The server of all files of tests in a process: none closes it. */
export const server = await faultServer();
/** No test of the file that calls it finds answers of another. */
export const withoutAnswers = () => beforeEach(() => server.reset());

export const KEY = "canary-key-0123456789abcdef";
let keys = 0;
export const fast = { pause: 1, maxPause: 2, budget: 2_000 };
export const service = (options: ConnectOptions = {}) =>
  connect({
    url: server.url,
    // A key of its own for each connection: they do not share what the service said to another one.
    apiKey: `${KEY}-${keys++}`,
    retry: fast,
    warn: () => undefined,
    ...options,
  });

export const good: Answer = { headers: json, body: page };
export const csvMetadata: Answer = metadataFilteredBy("ticker");
export const failure = (status: number, code: string, message = "no", headers = {}): Answer => ({
  status,
  headers: { ...json, ...headers },
  body: JSON.stringify({ error: { code, message } }),
});

export const T = "/api/v3/datatables/V/T.json";
export const rows = async (options?: ConnectOptions) => (await service(options).table("V/T").frame()).numRows;
export const fails = (options?: ConnectOptions) =>
  rows(options).then(
    () => {
      throw new Error("it succeeded");
    },
    (error) => error,
  );

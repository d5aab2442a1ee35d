import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";

/*
 * Names are checked against metadata that calls of one connection share. A call that is aborted ends, and only it: the
 * others neither fail with its reason nor wait longer than they have to.
 */
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const metadata = JSON.stringify({
  datatable: {
    vendor_code: "V",
    datatable_code: "T",
    name: "Rows",
    description: null,
    columns: [{ name: "id", type: "Integer" }],
    filters: ["id"],
    primary_key: ["id"],
    premium: false,
    status: {
      refreshed_at: "2024-01-01T00:00:00.000Z",
      status: "ON TIME",
      expected_at: "*",
      update_frequency: "DAILY",
    },
  },
});
const rows = JSON.stringify({
  datatable: { data: [[7]], columns: [{ name: "id", type: "Integer" }] },
  meta: { next_cursor_id: null },
});

/** A service whose first `held` metadata replies do not come; `asked` resolves once the first was requested. */
async function holding(held: number) {
  let requests = 0;
  let seen = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    seen = resolve;
  });
  server = createServer((request, reply) => {
    if (!request.url?.includes("metadata")) return void reply.end(rows);
    seen();
    if (++requests > held) reply.end(metadata);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const service = connect({ url: `http://127.0.0.1:${port}`, apiKey: "a-key-of-tests", onProgress: false });
  return { table: service.table("V/T").where({ id: 7 }), asked, requests: () => requests };
}

it("the call that requested the metadata is aborted: one that waits for it requests it again", async () => {
  const { table, asked, requests } = await holding(1);
  const stop = new AbortController();
  const first = table.frame({ signal: stop.signal });
  await asked;
  const second = table.frame();
  stop.abort(new Error("the first is over"));
  await expect(first).rejects.toThrow("the first is over");
  expect((await second).numRows).toBe(1);
  expect(requests()).toBe(2);
});

it("a call that waits for the metadata of another is aborted: it ends at once, and the other continues", async () => {
  const { table, asked } = await holding(1);
  const [mine, theirs] = [new AbortController(), new AbortController()];
  const first = table.frame({ signal: theirs.signal });
  await asked;
  const second = table.frame({ signal: mine.signal });
  mine.abort(new Error("the second is over"));
  await expect(second).rejects.toThrow("the second is over");
  theirs.abort(new Error("the first is over"));
  await expect(first).rejects.toThrow("the first is over");
});

it("the last page, opened by its cursor, is not the whole table", async () => {
  const { table } = await holding(0);
  expect((await table.page()).frame.source?.complete).toBe(true);
  expect((await table.page("a-cursor")).frame.source?.complete).toBe(false);
});

import { createServer, type Socket } from "node:net";
import { afterAll, expect, it } from "vitest";
import { connect } from "../../src/index.js";

/* A service that sends one reply too many: every later reply on that connection is that to another request. */
const database = (code: string): string =>
  JSON.stringify({
    database: {
      id: 1,
      name: code,
      database_code: code,
      description: null,
      datasets_count: 1,
      downloads: 0,
      premium: false,
      image: null,
      favorite: false,
      url_name: code,
    },
  });
const bytesOf = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const sockets = new Set<Socket>();
const server = createServer((socket) => {
  const isFirst = sockets.size === 0;
  sockets.add(socket);
  socket.on("error", () => undefined);
  socket.on("data", (data) => {
    const [, code = ""] = /databases\/(\w+)/.exec(String(data)) ?? [];
    // The second request of the first connection finds another reply before its own.
    const stray = isFirst && code === "B" ? bytesOf("{}") : "";
    socket.write(stray);
    setTimeout(() => socket.write(bytesOf(database(code))), stray === "" ? 0 : 20);
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

it("a reply that is not what was asked for closes its connection, so that the next call gets its own", async () => {
  const { port } = server.address() as { port: number };
  const service = connect({ url: `http://127.0.0.1:${port}`, apiKey: "canary-key-0123456789abcdef-shift" });
  const nameOf = async (code: string): Promise<string> => (await service.database(code).metadata()).database_code;
  expect(await nameOf("A")).toBe("A");
  await expect(nameOf("B")).rejects.toMatchObject({ name: "DataError" });
  expect(await nameOf("C")).toBe("C");
  expect(await nameOf("D")).toBe("D");
  expect(sockets.size).toBe(2);
});

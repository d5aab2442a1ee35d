import { createServer, type Socket } from "node:net";
import { afterAll, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";

/* A service that closes its kept-alive connections just as the next request is written to them. */
const database = {
  ...{ id: 1, name: "A", database_code: "A", description: null, datasets_count: 1, downloads: 0, premium: false },
  ...{ image: null, favorite: false, url_name: "A" },
};
const body = JSON.stringify({ database });
const reply = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

const sockets = new Set<Socket>();
const waiting: Socket[] = [];
let held = 3;
const server = createServer((socket) => {
  sockets.add(socket);
  let requests = 0;
  socket.on("error", () => undefined);
  socket.on("data", () => {
    if (++requests > 1) return void socket.destroy();
    waiting.push(socket);
    // The first replies are sent together, so that each request has a connection of its own.
    if (waiting.length >= held) for (const each of waiting.splice(0)) each.write(reply);
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

it("a call succeeds however many kept connections were closed", async () => {
  const { port } = server.address() as { port: number };
  const service = connect({
    url: `http://127.0.0.1:${port}`,
    apiKey: "kept-connections-key",
    retry: { attempts: 1 },
    limits: { concurrency: 3 },
  });
  const name = async (): Promise<string> => (await service.database("A").metadata()).name;
  expect(await Promise.all([name(), name(), name()])).toEqual(["A", "A", "A"]);
  expect(sockets.size).toBe(3);
  held = 1;
  expect(await name()).toBe("A");
  expect(sockets.size).toBe(4);
});

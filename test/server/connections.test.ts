import { connect as connectSocket, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { connections } from "../../src/server/http/listen.js";
import type { ServeOptions } from "../../src/server.js";
import { longIt } from "../support/whole.js";
import { get, sampleOf, started } from "./support.js";

const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

/** Connections that have sent part of a request, from an address of this machine. */
function halfOpen(port: number, count: number, text: string, localAddress = "127.0.0.1"): Promise<Socket[]> {
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve) => {
          const socket = connectSocket({ port, host: "127.0.0.1", localAddress, allowHalfOpen: true }, () => {
            socket.write(text);
            resolve(socket);
          });
          // The other side may close it at once; reading lets that be seen.
          socket.on("error", () => resolve(socket)).resume();
          opened.push(socket);
        }),
    ),
  );
}
/**
 * Settles once the other side has closed the connection whole: what is written then is reset, which a half-closed one
 * takes.
 */
async function givenUp(socket: Socket): Promise<void> {
  await new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
  for (let tries = 0; tries < 50 && !socket.destroyed; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.write("x");
  }
  expect(socket.destroyed).toBe(true);
}
const portOf = (service: { readonly url: string }): number => Number(new URL(service.url).port);
const serving = (options: Partial<ServeOptions>) => started({ data: sampleOf("MARKET"), ...options });
const METADATA = "/datasets/MARKET/AAA/metadata.json";

describe("half-open connections", () => {
  longIt("1,000 of them keep no other caller out, from the same address or another", { timeout: 120_000 }, async () => {
    const service = await serving({ timeouts: { headers: 600_000, request: 600_000 } });
    await halfOpen(portOf(service), 1_000, "GET /api/v3/ HTTP/1.1\r\nHost: localhost\r\n");
    expect((await get(service, METADATA)).status).toBe(200);
    await halfOpen(portOf(service), 200, "", "127.0.0.2");
    expect((await get(service, METADATA)).status).toBe(200);
  });

  it.each(["", "GET / HTTP/1.1\r\nHost: localhost\r\n"])(
    "one that sends %j is closed shortly after its time is over",
    async (text) => {
      const service = await serving({ timeouts: { headers: 300, request: 300, idle: 600_000 } });
      const [socket] = await halfOpen(portOf(service), 1, text);
      await givenUp(socket);
    },
  );

  it("a connection is closed even where the peer does not close it", async () => {
    const service = await serving({
      timeouts: { headers: 300, request: 300 },
      maxConnections: 4,
      maxConnectionsPerAddress: 4,
    });
    const sockets = await halfOpen(portOf(service), 4, "GET / HTTP/1.1\r\n");
    await Promise.all(sockets.map(givenUp));
    expect((await get(service, METADATA)).status).toBe(200);
  });
});

describe("room for connections", () => {
  interface FakeSocket {
    readonly socket: Socket;
    readonly gone: () => boolean;
  }
  const fake = (remoteAddress: string): FakeSocket => {
    let destroyed = false;
    const listeners: (() => void)[] = [];
    const socket = {
      remoteAddress,
      once: (_: string, listener: () => void) => listeners.push(listener),
      destroy() {
        destroyed = true;
        for (const listener of listeners) listener();
      },
    };
    return { socket: socket as unknown as Socket, gone: () => destroyed };
  };

  it("an address that is full loses its longest idle connection, never one with a request", () => {
    const open = connections({ total: 10, perAddress: 2 });
    const [first, second, third, fourth] = Array.from({ length: 4 }, () => fake("a"));
    expect([first, second].map(({ socket }) => open.admit(socket))).toEqual([true, true]);
    open.asking(first.socket, true);
    expect(open.admit(third.socket)).toBe(true);
    expect([first, second, third].map(({ gone }) => gone())).toEqual([false, true, false]);
    open.asking(third.socket, true);
    expect(open.admit(fourth.socket)).toBe(false);
    open.asking(first.socket, false);
    expect(open.admit(fourth.socket)).toBe(true);
    expect(first.gone()).toBe(true);
  });

  it("a full server makes room at the address that has most", () => {
    const open = connections({ total: 5, perAddress: 4 });
    const many = Array.from({ length: 4 }, () => fake("a"));
    const one = fake("b");
    for (const { socket } of [...many, one]) expect(open.admit(socket)).toBe(true);
    const other = fake("c");
    expect(open.admit(other.socket)).toBe(true);
    expect([...many, one, other].map(({ gone }) => gone())).toEqual([true, false, false, false, false, false]);
    expect(open.idle()).toHaveLength(5);
  });

  it("connections that closed hold no place", () => {
    const open = connections({ total: 2, perAddress: 2 });
    for (let i = 0; i < 10; i++) {
      const { socket } = fake("a");
      expect(open.admit(socket)).toBe(true);
      open.asking(socket, true);
      socket.destroy();
      open.asking(socket, false);
    }
    expect(open.idle()).toEqual([]);
  });
});

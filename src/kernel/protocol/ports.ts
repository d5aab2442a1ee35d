import { randomInt, randomUUID } from "node:crypto";
import { createServer, type Server } from "node:net";
import type { ConnectionInfo } from "./message.js";

/**
 * Ports from here up to the first ephemeral one (32,768 on Linux; others start higher). An ephemeral port could be
 * given to any outgoing connection before the kernel binds it, even to our own attempt to connect to it.
 */
const FIRST_PORT = 10_000;
const FIRST_EPHEMERAL = 32_768;

/** The content of a connection file: five currently free ports of 127.0.0.1 and a new key. */
export async function newConnection(kernelName: string): Promise<ConnectionInfo> {
  const servers = await Promise.all(Array.from({ length: 5 }, listen));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  const [shell_port, iopub_port, stdin_port, control_port, hb_port] = ports;
  return {
    transport: "tcp",
    ip: "127.0.0.1",
    shell_port,
    iopub_port,
    stdin_port,
    control_port,
    hb_port,
    key: randomUUID(),
    signature_scheme: "hmac-sha256",
    kernel_name: kernelName,
  };
}

async function listen(): Promise<Server> {
  for (;;) {
    const server = await tryListen(randomInt(FIRST_PORT, FIRST_EPHEMERAL));
    if (server !== undefined) return server;
  }
}

/** Undefined if the port is taken or reserved. */
function tryListen(port: number): Promise<Server | undefined> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" || error.code === "EACCES" ? done(undefined) : fail(error),
    );
    server.listen(port, "127.0.0.1", () => done(server));
  });
}

import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:net";
import type { ConnectionInfo } from "./message.js";

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

function listen(): Promise<Server> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once("error", fail);
    server.listen(0, "127.0.0.1", () => done(server));
  });
}

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

/** The address of a server that listens until the tests of the file, or of its `describe`, have run. */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

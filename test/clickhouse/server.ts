import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A server to test against. */
export interface TestServer {
  /** Its address, with user, password and database. */
  readonly address: string;
  readonly stop: () => Promise<void>;
}

/** The server in CLICKHOUSE_URL, or chdb behind HTTP. */
export async function testServer(password = ""): Promise<TestServer> {
  const given = process.env["CLICKHOUSE_URL"];
  if (given !== undefined && password === "") return { address: given, stop: async () => undefined };
  return chdbServer(password);
}

/** chdb in a child process behind a small HTTP interface. */
async function chdbServer(password = ""): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-chdb-"));
  const script = fileURLToPath(new URL("chdb-server.mjs", import.meta.url));
  const child = fork(script, [folder, password], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const port = await firstLine(child);
  return {
    address: `http://default${password === "" ? "" : `:${password}`}@127.0.0.1:${port}/tests`,
    async stop() {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let text = "";
    child.stdout?.on("data", (chunk) => {
      text += String(chunk);
      if (text.includes("\n")) done(text.trim());
    });
    child.once("exit", (code) => fail(new Error(`chdb ended with ${code}`)));
  });
}

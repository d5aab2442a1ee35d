import { spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keyOf } from "../../src/cli/input/key-input.js";
import { packageRoot } from "../../src/package/package-root.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const KEY = "key-of-the-file-0123456789";
const folder = temporaryFolder("key");
const command = join(packageRoot(), "dist/esm/cli.js");
const seen: string[] = [];
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, reply) => {
    seen.push(`${request.url} ${JSON.stringify(request.headers)}`);
    reply.writeHead(400, { "content-type": "application/json" });
    reply.end('{"quandl_error":{"code":"QEAx01","message":"We could not recognize your API key."}}');
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

/** The command as a process of its own, which the server of this process answers. */
function run(
  program: string,
  words: readonly string[],
  onText: (text: string) => string | undefined = () => undefined,
): Promise<{ status: number | null; text: string }> {
  const env = { ...process.env, ARROWBOOK_API_KEY: "", ARROWBOOK_URL: url, HOME: folder };
  const child = spawn(program, words, { cwd: folder, env });
  let text = "";
  const hear = (more: Buffer): void => {
    text += more;
    const reply = onText(text);
    if (reply !== undefined) child.stdin.write(reply);
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  return new Promise((resolve) => {
    child.once("error", () => resolve({ status: null, text: "not installed" }));
    child.once("close", (status) => resolve({ status, text }));
  });
}

const GET = ["get", "dataset", "MARKET/AAA"];

describe("--key-file", () => {
  it("sends the first line of the file, and writes it nowhere", async () => {
    writeFileSync(join(folder, "key.txt"), `\n  ${KEY}  \nanother line\n`);
    seen.length = 0;
    const { status, text } = await run(process.execPath, [command, ...GET, "--key-file", "key.txt"]);
    expect(status).toBe(1);
    expect(text).toContain("key");
    expect(text).not.toContain(KEY);
    expect(seen.join()).toContain(KEY);
  });

  it.each([
    ["a file that does not exist", ["--key-file", "none.txt"], 1, /none\.txt.*does not exist/],
    ["an empty file", ["--key-file", "empty.txt"], 1, /empty\.txt holds no key/],
    ["a file and a key", ["--key-file", "key.txt", "--key", "x"], 2, /cannot be used with/],
    ["a question without a terminal", ["--ask-key"], 1, /--ask-key needs a terminal.*ARROWBOOK_API_KEY/],
    ["a question for the sample", ["--ask-key", "--sample"], 2, /cannot be used with/],
  ])("%s is refused before a request", async (_, words, expected, message) => {
    writeFileSync(join(folder, "empty.txt"), "\n \n");
    seen.length = 0;
    const { status, text } = await run(process.execPath, [command, ...GET, ...words]);
    expect(text).toMatch(message);
    expect(status).toBe(expected);
    expect(seen).toEqual([]);
  });
});

/** A terminal whose keys are `typed`. */
const terminal = (typed: string) => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = new PassThrough();
  input.write(typed);
  return { input, output } as unknown as NonNullable<Parameters<typeof keyOf>[1]> & { output: PassThrough };
};

describe("--ask-key", () => {
  it("reads a line, with corrections, and shows none of it", async () => {
    const asked = terminal(`${KEY}xy\u007f\u007f\r`);
    expect(await keyOf({ askKey: true }, asked)).toBe(KEY);
    expect(String(asked.output.read())).toBe("API key: \n");
  });

  it("Ctrl-C stops with status 130", async () => {
    await expect(keyOf({ askKey: true }, terminal("abc\u0003"))).rejects.toMatchObject({ code: "Stopped" });
    expect(process.exitCode).toBe(130);
    process.exitCode = undefined;
  });

  it("an empty line is refused", async () => {
    await expect(keyOf({ askKey: true }, terminal("\r"))).rejects.toMatchObject({ code: "BadArgument" });
  });

  it("on a real terminal the key is sent, and neither echoed nor kept", async ({ skip }) => {
    seen.length = 0;
    let isTyped = false;
    const words = `'${process.execPath}' '${command}' ${GET.join(" ")} --ask-key`;
    const { status, text } = await run("script", ["-qec", words, "/dev/null"], (shown) => {
      if (isTyped || !shown.includes("API key: ")) return undefined;
      isTyped = true;
      return `${KEY}\r`;
    });
    if (text === "not installed") return skip("util-linux is not installed");
    expect(status).toBe(1);
    expect(text).not.toContain(KEY);
    expect(seen.join()).toContain(KEY);
    expect(readdirSync(folder).filter((name) => /history/.test(name))).toEqual([]);
  });
});

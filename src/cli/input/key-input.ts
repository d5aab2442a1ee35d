import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { ArrowbookError, InputError } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { rememberSecret } from "../../errors/secrets.js";

/** Where the key comes from. */
export interface KeyFlags {
  readonly key?: string;
  readonly keyFile?: string;
  readonly askKey?: boolean;
}

/** The terminal that is asked. */
interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/**
 * The key that the flags describe; undefined leaves it to the environment.
 *
 * @throws {InputError} BadArgument for a file without a key, or where there is no terminal to ask
 * @throws {FileError}
 */
export async function keyOf(
  { key, keyFile, askKey }: KeyFlags,
  terminal: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string | undefined> {
  const found = keyFile !== undefined ? keyInFile(keyFile) : askKey ? await asked(terminal) : key;
  if (found !== undefined) rememberSecret(found);
  return found;
}

/** The first line of a file that is not blank. */
function keyInFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw fileError(path, "read", error);
  }
  const key = text
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "");
  if (key !== undefined) return key;
  throw new InputError(`The file ${path} holds no key.`, {
    code: "BadArgument",
    hint: "Write the key into its first line.",
  });
}

/** Reads a line without showing or recording it. */
async function asked({ input, output }: Terminal): Promise<string> {
  if (!input.isTTY) {
    throw new InputError("--ask-key needs a terminal to read the key from.", {
      code: "BadArgument",
      hint: "Use --key-file or the environment variable ARROWBOOK_API_KEY.",
    });
  }
  const silent = new Writable({ write: (_text, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true, historySize: 0 });
  output.write("API key: ");
  try {
    const line = await new Promise<string | undefined>((resolve) => {
      lines.once("line", resolve);
      lines.once("SIGINT", () => resolve(undefined));
      lines.once("close", () => resolve(undefined));
    });
    if (line === undefined) {
      process.exitCode = 130;
      throw new ArrowbookError("Stopped.", { code: "Stopped", hint: "No key was entered." });
    }
    const key = line.trim();
    if (key !== "") return key;
    throw new InputError("The key is empty.", { code: "BadArgument", hint: "Enter the key, then press Enter." });
  } finally {
    output.write("\n");
    lines.close();
  }
}

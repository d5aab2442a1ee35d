import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { firstLine } from "../../client/transport/settings.js";
import { ArrowbookError, InputError } from "../../errors/errors.js";
import { rememberSecret } from "../../errors/secrets.js";

/** Where the key comes from. */
export interface KeyFlags {
  readonly key?: string;
  readonly keyFile?: string;
  readonly askKey?: boolean;
}

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
  const found = keyFile !== undefined ? keyInFile(keyFile) : askKey ? await asked(terminal, API_KEY) : key;
  if (found !== undefined) rememberSecret(found);
  return found;
}

/** The first line of a file that is not blank. */
function keyInFile(path: string): string {
  const key = firstLine(path);
  if (key !== undefined) return key;
  throw new InputError(`The file ${path} holds no key.`, {
    code: "BadArgument",
    hint: "Write the key into its first line.",
  });
}

interface Secret {
  readonly flag: string;
  readonly name: string;
  readonly prompt: string;
  /** Where else it can come from. */
  readonly otherwise: string;
}

const API_KEY: Secret = {
  flag: "--ask-key",
  name: "key",
  prompt: "API key: ",
  otherwise: "Use --key-file or the environment variable ARROWBOOK_API_KEY.",
};
const PASSWORD: Secret = {
  flag: "--ask-password",
  name: "password",
  prompt: "Password: ",
  otherwise: "Use the environment variable ARROWBOOK_ENGINE_PASSWORD.",
};

/**
 * The password of an engine: asked for, or from the environment; undefined leaves it to the address.
 *
 * @throws {InputError} BadArgument where there is no terminal to ask
 */
export async function passwordOf(
  isAsked: boolean | undefined,
  terminal: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string | undefined> {
  const password = isAsked ? await asked(terminal, PASSWORD) : process.env["ARROWBOOK_ENGINE_PASSWORD"] || undefined;
  if (password !== undefined) rememberSecret(password);
  return password;
}

/** Reads a line without showing or recording it. */
async function asked({ input, output }: Terminal, { flag, name, prompt, otherwise }: Secret): Promise<string> {
  if (!input.isTTY) {
    throw new InputError(`${flag} needs a terminal to read the ${name} from.`, {
      code: "BadArgument",
      hint: otherwise,
    });
  }
  const silent = new Writable({ write: (_text, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true, historySize: 0 });
  output.write(prompt);
  try {
    const line = await new Promise<string | undefined>((resolve) => {
      lines.once("line", resolve);
      lines.once("SIGINT", () => resolve(undefined));
      lines.once("close", () => resolve(undefined));
    });
    if (line === undefined) {
      process.exitCode = 130;
      throw new ArrowbookError("Stopped.", { code: "Stopped", hint: `No ${name} was entered.` });
    }
    const secret = line.trim();
    if (secret !== "") return secret;
    throw new InputError(`The ${name} is empty.`, {
      code: "BadArgument",
      hint: `Enter the ${name}, then press Enter.`,
    });
  } finally {
    output.write("\n");
    lines.close();
  }
}

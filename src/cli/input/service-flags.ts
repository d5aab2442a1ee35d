import { type Command, InvalidArgumentError, Option } from "commander";
import type { Service } from "../../client/service.js";
import { connect, type SampleOptions } from "../../connect.js";
import { ArrowbookError } from "../../errors/errors.js";
import { type ProfileName, profiles } from "../../spec/profile.js";
import { FORMATS } from "../../spec/vocabulary.js";
import { NO_DATE, parseDate } from "../../value/date.js";
import { withFlags } from "../messages/flags-in-messages.js";
import { listed } from "../output/output.js";
import { type KeyFlags, keyOf } from "./key-input.js";

/** Flags shared by every command that calls a service. */
export interface ServiceFlags extends KeyFlags {
  readonly url?: string;
  readonly profile?: ProfileName;
  readonly quiet?: boolean;
  readonly json?: boolean;
  readonly sample?: boolean;
  readonly cache?: string | boolean;
}

export function withService(command: Command): Command {
  return command
    .option("--url <address>", "base address of the service (default: ARROWBOOK_URL)")
    .option("--key <key>", "API key, which other users of this machine can see (default: ARROWBOOK_API_KEY)")
    .addOption(new Option("--key-file <file>", "file with the API key in its first line").conflicts(["key", "askKey"]))
    .addOption(new Option("--ask-key", "ask for the API key on the terminal, without showing it").conflicts("key"))
    .addOption(profileOption())
    .addOption(
      new Option("--sample", "start the embedded service on the sample data and use that").conflicts([
        "url",
        "key",
        "keyFile",
        "askKey",
        "profile",
      ]),
    )
    .option(
      "--cache [folder]",
      "keep bulk files, time series and metadata on disk (default folder: see arrowbook cache list --help)",
    )
    .option("-q, --quiet", "write nothing but results, warnings and errors")
    .option("--json", "print JSON");
}

/** Adds examples to the help of a command; each is a line that runs. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  const title = lines.length === 1 ? "Example" : "Examples";
  return command.addHelpText("after", `\n${title}:\n${lines.map((line) => `  ${line}\n`).join("")}`.trimEnd());
}

/** A flag with the values that are known; a service may accept others. */
export class ListedOption extends Option {
  constructor(
    flags: string,
    readonly values: readonly string[],
  ) {
    // Without the flag is "none".
    super(flags, listed(values.filter((value) => value !== "none")));
  }
}

export const formatOption = (what = "format of the replies"): Option =>
  new Option("--format <format>", what).choices(FORMATS).default("json");

export function profileOption(): Option {
  const names = Object.keys(profiles);
  return new Option("--profile <name>", "the service profile: values that the specification leaves open").choices(
    names,
  );
}

/**
 * Connects as the flags say and runs `work`. Ctrl-C aborts the signal; the command then fails with the message `onStop`
 * and exit status 130.
 */
export async function serving(
  flags: ServiceFlags,
  onStop: string,
  work: (service: Service, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const apiKey = await keyOf(flags);
  await stoppable(onStop, async (signal) => {
    const options: SampleOptions = {
      // Otherwise long tasks show their progress on the terminal.
      ...((flags.quiet || flags.json) && { onProgress: false }),
      cache: flags.cache,
      signal,
      warn: (message) => process.stderr.write(`arrowbook: ${withFlags(message)}\n`),
    };
    const sample = flags.sample ? await connect.sample(options) : undefined;
    try {
      await work(sample ?? connect({ ...options, url: flags.url, apiKey, profile: flags.profile }), signal);
    } finally {
      await sample?.close();
    }
  });
}

/** Accepts both `a,b` and repeated flags. */
export function list(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(",").map((part) => part.trim())].filter((part) => part !== "");
}

export function day(text: string): string {
  if (parseDate(text) === NO_DATE) throw new InvalidArgumentError("must be a day that exists, YYYY-MM-DD");
  return text;
}

/** The flag for archives of very repetitive columns. */
export const MAX_RATIO = [
  "--max-ratio <n>",
  "accept archives that grow up to n-fold (default: any up to 1 GB, 200 beyond)",
] as const;

export function count(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError("must be a whole number of 1 or more");
  return number;
}

/** Exit statuses after a signal: 128 plus the number of the signal, as in shells. */
const STOPPED = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs `work`. Ctrl-C aborts its signal with an error whose hint is `onStop`, and the process exits with status 130.
 */
export async function stoppable(onStop: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const interrupt = (name: keyof typeof STOPPED): void => {
    process.exitCode = STOPPED[name];
    stop.abort(new ArrowbookError("Stopped.", { code: "Stopped", hint: onStop }));
  };
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    await work(stop.signal);
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
}

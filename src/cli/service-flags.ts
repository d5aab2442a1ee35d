import { type Command, InvalidArgumentError, Option } from "commander";
import type { Service } from "../client/service.js";
import type { ConnectOptions } from "../client/transport/options.js";
import { connect } from "../connect.js";
import { ArrowbookError } from "../errors/errors.js";

/** Flags shared by every command that calls a service. */
export interface ServiceFlags {
  readonly url?: string;
  readonly key?: string;
  readonly profile?: "specification" | "nasdaqDataLink";
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/** Adds the flags of {@link ServiceFlags} to a command. */
export function withService(command: Command): Command {
  return command
    .option("--url <address>", "base address of the service (default: ARROWBOOK_URL)")
    .option("--key <key>", "API key (default: ARROWBOOK_API_KEY, which other users of this machine cannot see)")
    .addOption(
      new Option("--profile <name>", "what the specification leaves open").choices(["specification", "nasdaqDataLink"]),
    )
    .option("-q, --quiet", "no progress on stderr")
    .option("--json", "print JSON for machines");
}

/**
 * Connects as the flags say and runs `work`. Ctrl-C aborts the work's signal: the command then fails with `onStop` as
 * its message.
 */
export async function serving(
  flags: ServiceFlags,
  onStop: string,
  work: (service: Service, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new ArrowbookError("Stopped.", { code: "Stopped", hint: onStop }));
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  const options: ConnectOptions = {
    url: flags.url,
    apiKey: flags.key,
    profile: flags.profile,
    // Else long work shows itself on the terminal.
    ...((flags.quiet || flags.json) && { onProgress: false }),
    signal: stop.signal,
    warn: (message) => process.stderr.write(`arrowbook: ${message}\n`),
  };
  try {
    await work(connect(options), stop.signal);
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
}

/** `a,b` and repeated flags as one list. */
export function list(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(",").map((part) => part.trim())].filter((part) => part !== "");
}

/** A whole number of at least 1. */
export function count(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError("it is a whole number from 1");
  return number;
}

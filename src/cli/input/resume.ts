import { rm } from "node:fs/promises";
import { Option } from "commander";
import { InputError } from "../../errors/errors.js";

/** The flag `--resume` of a command that reads pages into a file. */
export function resumeOption(): Option {
  return new Option("--resume", "with -o: keep the pages beside the file until it is written, and resume from them");
}

/**
 * The checkpoint of a command that writes `output`: a file beside it.
 *
 * @throws {InputError} BadArgument without an output file
 */
export function checkpointFor(output: string | undefined, resume: boolean | undefined): string | undefined {
  if (!resume) return undefined;
  if (output !== undefined) return `${output}.checkpoint`;
  throw new InputError("--resume needs an output file.", {
    code: "BadArgument",
    hint: "Pass one with -o: the pages are kept beside it.",
  });
}

/** Says how much was taken from the checkpoint. */
export function reportResumed({ pages, rows }: { readonly pages: number; readonly rows: number }): void {
  const count = (n: number, what: string): string => `${n.toLocaleString("en-US")} ${what}${n === 1 ? "" : "s"}`;
  process.stderr.write(`resumed after ${count(pages, "page")}, ${count(rows, "row")}\n`);
}

/** Removes the checkpoint once its rows are in the output file. */
export async function removeCheckpoint(path: string | undefined): Promise<void> {
  if (path !== undefined) await rm(path, { force: true });
}

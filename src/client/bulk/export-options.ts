import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";

/**
 * How an existing older export is treated (spec 4.9): `use` takes it at once while a newer one is generated, `wait`
 * waits for the newer one.
 */
export type Stale = "use" | "wait";

/** Pauses between two polls of a pending export, in milliseconds. */
export interface Poll {
  /** The first pause; each one is twice the previous one. Default 1,000. */
  readonly first?: number;
  /** The longest pause. Default 60,000. */
  readonly longest?: number;
}

/** Options of an export. */
export interface ExportOptions {
  /**
   * What to do where the service has an older file: `use` takes it at once, `wait` waits for the newer one. Default
   * `use`.
   */
  readonly stale?: Stale;
  /** The pauses between two requests of the state. */
  readonly poll?: Poll;
}

/** @throws {InputError} UnknownOption, BadArgument */
export function checkExportOptions(options: ExportOptions): void {
  refuseUnknown(options, ["stale", "poll"], "export()");
  const { stale: given = "use" } = options;
  if (given === "use" || given === "wait") return;
  throw new InputError(`stale must be "use" or "wait"; got ${JSON.stringify(given)}.`, {
    code: "BadArgument",
    hint: '"use" takes an older file at once, "wait" waits for the newer one: see docs/bulk.md.',
  });
}

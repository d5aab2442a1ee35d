import { checkReadOptions, type ReadOptions } from "../../columns/arrow/read-options.js";
import { InputError } from "../../errors/errors.js";
import { checkWords } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { ArchiveLimits } from "../bulk/archive-reader.js";
import type { RowBounds } from "../pages/row-budget.js";
import type { OnResume } from "../pages/table-page.js";

/** Options of reading the rows of a table. */
export type TableReadCall = ReadOptions &
  Omit<RowBounds, "limit"> &
  ArchiveLimits & {
    readonly signal?: AbortSignal;
    /**
     * What to do if the service cannot reply in pages: too many results, too long an address, a timeout, a failure of
     * the service. `"export"` requests the same rows as an export (spec 7), within `maxRatio` and `maxSize`. Default:
     * the error.
     */
    readonly fallback?: "export";
    /**
     * Path of a file in which each page is kept once it has arrived. A later call with the same query and options takes
     * the pages in it from there and requests the rest, if the table has not been refreshed since; otherwise it starts
     * again, with a warning. The file stays when the call ends.
     */
    readonly checkpoint?: string;
    /** Called once with the pages and rows that are taken from the checkpoint, if any, before the first one is. */
    readonly onResume?: OnResume;
  };

const OWN = ["fallback", "maxRows", "truncate", "checkpoint", "onResume", "maxRatio", "maxSize"] as const;

/** @throws {InputError} UnknownOption, UnknownValue, BadArgument */
export function checkTableRead(options: TableReadCall, where: string): void {
  checkReadOptions(options, where, OWN);
  checkWords(options, { fallback: ["export"] });
  const { maxRows, checkpoint, onResume } = options;
  const demand = (name: string, value: unknown, holds: boolean, hint: string): void => {
    if (value === undefined || holds) return;
    throw new InputError(`${name} of ${where} is ${shown(value)}.`, { code: "BadArgument", hint });
  };
  const isPath = typeof checkpoint === "string" && checkpoint !== "";
  demand("checkpoint", checkpoint, isPath, 'Pass the path of a file: checkpoint: "prices.checkpoint".');
  const usual = "Pass a function: onResume: ({ pages, rows }) => console.error(pages, rows).";
  demand("onResume", onResume, typeof onResume === "function", usual);
  const isCount = Number.isSafeInteger(maxRows) && Number(maxRows) >= 1;
  demand("maxRows", maxRows, isCount, "Pass a whole number of at least 1.");
}

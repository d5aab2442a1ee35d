import fc from "fast-check";
import { it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { histories, runAsOf } from "./as-of-run.js";

const root = temporaryFolder("as-of");

it.each(["folder", "engine"] as const)("every state of a copy in a %s is the table as it was", async (place) => {
  await fc.assert(
    fc.asyncProperty(histories, (history) => runAsOf(root, place, history)),
    { numRuns: runs(30, 2) },
  );
});

import fc from "fast-check";
import { it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { histories, runAsOf } from "./as-of-run.js";

const root = temporaryFolder("as-of-long");

it.each([1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((part) => [["folder", part] as const, ["engine", part] as const]))(
  "every state of a copy in a %s is the table as it was: a thousand histories, part %i",
  async (place, part) => {
    await fc.assert(
      fc.asyncProperty(histories, (history) => runAsOf(root, place, history)),
      { numRuns: place === "folder" ? 80 : 30, seed: part },
    );
  },
  900_000,
);

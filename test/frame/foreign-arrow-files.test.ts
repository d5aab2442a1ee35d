import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleOf } from "../../src/display/table/foreign.js";
import { Frame } from "../../src/frame/frame.js";
import { cases } from "../cases.js";
import { frameOfIPC } from "../frame-of-ipc.js";

const root = cases("arrow-gold");
const here = existsSync(root);

/** Files that the Arrow library cannot open, with the reason; the union of 0.17.1 has a layout that was dropped. */
const UNREAD = /compression|list_view|run_end_encoded|0\.17\.1\/generated_union/;

const streams = here
  ? readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".stream") && !UNREAD.test(name),
    )
  : [];

const textsOf = (frame: Frame): (string | null)[][] => frame.columns.map((_, i) => frame.column(i).toStrings());

it("says whether the shared Arrow files were there", () => {
  expect(here ? streams.length : 0).toBe(here ? 53 : 0);
  if (!here) process.stderr.write("the shared Arrow files are not here: no foreign table was tried\n");
});

describe.runIf(here)("every foreign table of Arrow's own test files", () => {
  for (const name of streams) {
    it(name, () => {
      const frame = frameOfIPC(readFileSync(join(root, name)));
      const all = textsOf(frame);
      const backwards = Array.from({ length: frame.numRows }, (_, i) => frame.numRows - 1 - i);
      expect(textsOf(frame.take(backwards))).toEqual(all.map((column) => [...column].reverse()));
      expect(textsOf(frame.slice(1, -1))).toEqual(all.map((column) => column.slice(1, -1)));
      expect(textsOf(Frame.concat([frame, frame.take(backwards)]))).toEqual(
        all.map((column) => [...column, ...[...column].reverse()]),
      );
      const numbered = frame.rename(frame.columns.map((_, i) => `c${i}`));
      for (const { name: column } of numbered.columns) expect(numbered.sort(column).numRows).toBe(frame.numRows);
      expect([...frame.rows()].length).toBe(frame.numRows);
      expect(Object.keys(bundleOf(frame) as object)).toEqual(["text/html", "text/plain"]);
      expect(textsOf(frameOfIPC(frame.toIPC()))).toEqual(all);
    });
  }
});

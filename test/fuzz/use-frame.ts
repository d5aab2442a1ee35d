import { bundleOf } from "../../src/display/table/foreign.js";
import { Frame } from "../../src/index.js";
import { frameOfIPC } from "../frame-of-ipc.js";

/** Every column as exact texts. */
export const textsOf = (frame: Frame): (string | null)[][] => frame.columns.map((_, i) => frame.column(i).toStrings());

/** Uses a frame in every way that touches its cells, and reads back what it writes; throws where one does not work. */
export function useFrame(frame: Frame): void {
  const texts = textsOf(frame);
  String(frame);
  bundleOf(frame);
  let rows = 0;
  for (const row of frame.rows()) rows += Object.keys(row).length >= 0 ? 1 : 0;
  if (rows !== frame.numRows) throw new Error(`rows() gives ${rows} of ${frame.numRows} rows`);
  frame.toCSV();
  const numbered = frame.rename(frame.columns.map((_, i) => `c${i}`));
  for (const { name } of numbered.columns) String(numbered.sort(name));
  const backwards = frame.take(Array.from({ length: frame.numRows }, (_, i) => frame.numRows - 1 - i));
  same(
    textsOf(backwards),
    texts.map((column) => [...column].reverse()),
    "taken backwards",
  );
  const slice = frame.slice(1);
  const rest = texts.map((column) => column.slice(1));
  same(textsOf(slice), rest, "sliced");
  same(textsOf(frameOfIPC(slice.toIPC())), rest, "sliced, written and read");
  same(
    textsOf(Frame.concat([frame, slice])),
    texts.map((column, i) => [...column, ...rest[i]]),
    "concatenated",
  );
  same(textsOf(frameOfIPC(frame.toIPC())), texts, "written and read");
}

function same(found: unknown, expected: unknown, how: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${how}, the cells differ: ${a.slice(0, 500)} where there was ${b.slice(0, 500)}`);
}

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expect } from "vitest";
import type { Row } from "../client/changing-table.js";

/** The rows of a copy before it is synchronised, and after: one is corrected, one new. */
export const OLD: readonly Row[] = [
  ["AAA", "2023-03-01", "10.0000", "2023-03-02"],
  ["BBB", "2024-03-01", "20.0000", "2024-03-02"],
];
export const NEW: readonly Row[] = [
  OLD[0],
  ["BBB", "2024-03-01", "21.0000", "2024-03-03"],
  ["CCC", "2024-03-02", "1.0000", "2024-03-03"],
];

/** Rows as lines of CSV, sorted. */
export const lines = (rows: readonly Row[]): string[] => rows.map((row) => row.join(",")).sort();

/** Whether a process comes to its end, without an error; the only other way is to be killed. */
export async function cameToItsEnd(child: ChildProcess): Promise<boolean> {
  const [code, signal] = await once(child, "exit");
  expect(code ?? signal).toBe(code === 0 ? 0 : "SIGKILL");
  return signal === null;
}

import { expect, it } from "vitest";
import { readProgress } from "../../src/columns/io/progress.js";

it("reports each step and the end of a read, and nothing where there was none", () => {
  const told: unknown[] = [];
  const { step, done } = readProgress((event) => told.push(event), "A/B");
  done();
  expect(told).toEqual([]);
  step({ bytes: 1, total: 9, rows: 2 });
  done();
  done({ bytes: 0, total: 0 });
  const read = { phase: "read", code: "A/B" };
  expect(told).toEqual([
    { ...read, bytes: 1, total: 9, rows: 2 },
    { ...read, bytes: 9, total: 9, rows: 2, done: true },
    { ...read, bytes: 0, total: 0, done: true },
  ]);
});

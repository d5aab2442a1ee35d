import { expect, it } from "vitest";
import { newestOnly } from "../../src/display/base/newest-only.js";

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

it("runs one call at a time, then one with the newest value", async () => {
  const seen: number[] = [];
  const ends: (() => void)[] = [];
  const calls = newestOnly<number>(async (value) => {
    seen.push(value);
    await new Promise<void>((done) => ends.push(done));
  });
  calls.push(1);
  calls.push(2);
  await turn();
  expect(seen).toEqual([2]);
  for (let i = 3; i < 10_000; i++) calls.push(i);
  await turn();
  expect([seen, calls.isBusy]).toEqual([[2], true]);
  ends[0]();
  await turn();
  await turn();
  expect(seen).toEqual([2, 9_999]);
  ends[1]();
  await turn();
  expect([seen, calls.isBusy]).toEqual([[2, 9_999], false]);
});

it("restarts after a call whose code was terminated, and ignores the old one", async () => {
  const current: boolean[] = [];
  const ends: (() => void)[] = [];
  const calls = newestOnly<number>(async (_, isCurrent) => {
    await new Promise<void>((done) => ends.push(done));
    current.push(isCurrent());
  });
  calls.push(1);
  await turn();
  calls.push(2);
  calls.restart();
  await turn();
  expect(ends).toHaveLength(2);
  ends[0]();
  ends[1]();
  await turn();
  expect([current, calls.isBusy]).toEqual([[false, true], false]);
  calls.restart();
  await turn();
  expect(calls.isBusy).toBe(false);
});

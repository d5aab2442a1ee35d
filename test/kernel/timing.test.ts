import { expect, it } from "vitest";
import { Timing } from "../../src/kernel/hook/timeit.js";

it.each([
  [0, "0.00 ns"],
  [0.0000123, "12.3 ns"],
  [0.0009996, "1.00 µs"],
  [0.0456, "45.6 µs"],
  [0.9996, "1.00 ms"],
  [1.234, "1.23 ms"],
  [999.6, "1.00 s"],
  [1_234_000, "1230 s"],
])("a time of %d ms is shown as %s", (milliseconds, shown) => {
  expect(String(new Timing(milliseconds, 0, 0, 7, 1))).toMatch(`${shown} ± 0.00 ns per call (7 runs of 1 call, best`);
});

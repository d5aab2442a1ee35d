import { expect, it } from "vitest";
import { inspect } from "../../src/platform/browser/process.js";

it("a page shows objects that contain themselves, and the same one twice", () => {
  const inner = { b: 2n };
  const outer: Record<string, unknown> = { first: inner, list: [inner] };
  outer["self"] = outer;
  expect(inspect(outer)).toBe('{"first":{"b":"2n"},"list":[{"b":"2n"}],"self":"[Circular]"}');
  expect(inspect([1, "x", null])).toBe('[1,"x",null]');
});

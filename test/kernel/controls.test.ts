import fc from "fast-check";
import { expect, it } from "vitest";
import { checkedValues, namedValues, pageControls, range } from "../../src/kernel/hook/controls.js";
import { CONTROLS_MODULE } from "../../src/kernel/hook/controls-module.js";

it("range() starts in the middle, on a step", () => {
  expect(range(5, 60)).toEqual({ min: 5, max: 60, step: 1, value: 33 });
  expect(range(0, 1)).toEqual({ min: 0, max: 1, step: 0.01, value: 0.5 });
  expect(range(-0.3, 0.3, 0.1)).toEqual({ min: -0.3, max: 0.3, step: 0.1, value: 0 });
  expect(range(0, 10, 3, 100).value).toBe(9);
  expect(range(0, 10, 1, 2).value).toBe(2);
});

it.each([
  [5, 5],
  [6, 5],
  [Number.NaN, 5],
  [0, Number.POSITIVE_INFINITY],
  ["0", 5],
  [0, 5, 0],
  [0, 5, -1],
])("range(%j, %j, %j) is refused", (...given) => {
  expect(() => range(...(given as [number, number, number]))).toThrow(expect.objectContaining({ code: "BadArgument" }));
});

it.each([null, undefined, 5, {}, { a: null }, { a: [] }, { a: new Date() }, { a: { min: 1 } }, { a: Number.NaN }])(
  "%j are not controls",
  (controls) => {
    expect(() => pageControls(controls as never)).toThrow(expect.objectContaining({ code: "BadArgument" }));
  },
);

const given = { span: range(5, 60, 5), kind: ["line", 7, false], on: true, title: "text", limit: 2 } as const;
const controls = pageControls(given);

it("values of the page are held to the controls", () => {
  const named = (sent: unknown): unknown => {
    const values = checkedValues(controls, sent);
    return values && namedValues(given, controls, values);
  };
  expect(named([12.4, 1, false, "x", -1])).toEqual({ span: 10, kind: 7, on: false, title: "x", limit: -1 });
  expect(named([1e9, 2, true, "", 0])).toEqual({ span: 60, kind: false, on: true, title: "", limit: 0 });
  for (const sent of [
    null,
    "values",
    {},
    [],
    [10, 1, false, "x"],
    [10, 1, false, "x", 1, 1],
    ["10", 1, false, "x", 1],
    [10, 3, false, "x", 1],
    [10, -1, false, "x", 1],
    [10, 0.5, false, "x", 1],
    [10, 1, 0, "x", 1],
    [10, 1, false, null, 1],
    [10, 1, false, "x", null],
  ]) {
    expect(named(sent)).toBeUndefined();
  }
});

it("a slider's value is one of its steps, within its ends", () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 });
  fc.assert(
    fc.property(
      finite,
      fc.double({ min: 0.01, max: 1e6, noNaN: true }),
      fc.integer({ min: 1, max: 50 }),
      finite,
      (min, width, parts, sent) => {
        const slider = range(min, min + width, width / parts);
        const [value] = checkedValues(pageControls({ slider }), [sent]) as [number];
        const tolerance = 1e-6 * Math.max(1, Math.abs(min), width);
        expect(value).toBeGreaterThanOrEqual(min - tolerance);
        expect(value).toBeLessThanOrEqual(min + width + tolerance);
      },
    ),
  );
});

it("the module of the page compiles", () => {
  expect(() => new Function(CONTROLS_MODULE.replace(/export default/, "return"))).not.toThrow();
});

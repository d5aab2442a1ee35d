import fc from "fast-check";
import { expect, it } from "vitest";
import { Frame } from "../../src/index.js";
import { forAll } from "../support/for-all.js";

/* The generator behind the tables: a name with one letter wrong is answered with the right one, whatever the method. */
const names = ["ticker", "date", "open", "high", "close", "volume"] as const;
const frame = Frame.fromRows([{ ticker: "A", date: "2024-01-01", open: 1, high: 2, close: 1.5, volume: 7 }]);

/** A name with two neighbouring letters exchanged, one left out, one doubled, or the case of the first changed. */
const misspelt = fc
  .tuple(fc.constantFrom(...names), fc.nat(), fc.constantFrom("swap", "drop", "double", "case"))
  .map(([name, place, how]) => {
    const at = place % (name.length - 1);
    const wrong = {
      swap: name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2),
      drop: name.slice(0, at) + name.slice(at + 1),
      double: name.slice(0, at + 1) + name.slice(at),
      case: name[0].toUpperCase() + name.slice(1),
    }[how];
    return { name, wrong };
  })
  .filter(({ wrong }) => !(names as readonly string[]).includes(wrong));

const uses: Readonly<Record<string, (name: never) => unknown>> = {
  column: (name) => frame.column(name),
  select: (name) => frame.select(name),
  drop: (name) => frame.drop(name),
  sort: (name) => frame.sort(name),
  groupBy: (name) => frame.groupBy(name).count(),
  describe: (name) => frame.describe(name),
  rename: (name) => frame.rename({ [name]: "x" } as never),
  filter: (name) => frame.filter((row) => row[name] === 1),
  with: (name) => frame.with({ x: (row: Record<string, never>) => row[name] } as never),
  plot: (name) => frame.plot({ y: name }),
};

it.each(Object.entries(uses))("%s() names the column that was meant", (_, use) => {
  forAll(100, misspelt, ({ name, wrong }) => {
    let hint: unknown;
    try {
      use(wrong as never);
    } catch (error) {
      hint = (error as { hint?: unknown }).hint;
    }
    expect(hint).toContain("Did you mean");
    expect(hint).toContain(`"${name}"`);
  });
});

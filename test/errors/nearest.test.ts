import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearest, suggestion } from "../../src/errors/nearest.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

/** The definition: Levenshtein distance with adjacent swaps counted once, over the whole matrix. */
function distanceOf(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_unused, j) => (i === 0 ? j : i)),
  );
  for (let i = 1; i <= a.length; i++) {
    rows[i][0] = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.length][b.length];
}

function defined(name: string, names: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  return names
    .map((each) => ({ each, other: each.toLowerCase(), distance: distanceOf(wanted, each.toLowerCase()) }))
    .filter(({ other, distance }) => {
      const allowed = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3));
      return distance <= allowed || (wanted.length > 2 && other.includes(wanted));
    })
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ each }) => each);
}

const word = fc.string({ unit: fc.constantFrom("a", "b", "B", "c", "_"), maxLength: 14 });

describe("nearest", () => {
  it("finds the names that its definition finds, in the same order", () => {
    forAll(runs(3_000), word, fc.array(word, { maxLength: 8 }), (name, names) => {
      expect(nearest(name, names)).toEqual(defined(name, names));
    });
  });

  it("finds a long name with a few mistakes", () => {
    const long = "Total nonfarm payrolls of all employees, seasonally adjusted, in thousands";
    expect(nearest(long.replaceAll("y", "i"), ["Date", long])).toEqual([long]);
  });

  it.each([
    ["a long name", (n: number) => ["x".repeat(n), Array.from({ length: 500 }, (_, i) => `CODE${i}`)]],
    ["a long name beside long ones", (n: number) => ["x".repeat(n), Array.from({ length: 500 }, () => "y".repeat(n))]],
    ["long names that are nearly equal", (n: number) => [`${"xy".repeat(n)}`, [`${"yx".repeat(n)}`]]],
    ["a name within long ones", (n: number) => ["xyz", Array.from({ length: 50 }, () => `${"y".repeat(n)}xyz`)]],
    ["names at the limit", () => ["x".repeat(128), Array.from({ length: 500 }, (_, i) => `${i}`.padEnd(128, "y"))]],
  ] as const)("takes no time for %s", (_, make) => {
    for (const length of [1_000, 60_000, 1_000_000]) {
      const [name, names] = make(length) as [string, string[]];
      const began = performance.now();
      nearest(name, names);
      suggestion(name, names, "codes");
      expect(performance.now() - began).toBeLessThan(500);
    }
  });
});

import { describe, expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { Random } from "../fuzz/random.js";
import { runs } from "../support/whole.js";
import { chunked, LAYOUTS, randomCuts, randomTexts, tableOfChunks } from "./random-texts.js";

const rowsOf = (random: Random): number => random.pick([0, 1, 9, 500, 70_000, 140_000]);

describe("text keeps its values, whatever the layout, the batches and the dictionaries", () => {
  it("in unpivot, beside other text", () => {
    for (let seed = 1; seed <= runs(12, 2); seed++) {
      const random = new Random(seed);
      const rows = rowsOf(random);
      const [id, a, b] = [randomTexts(random, rows), randomTexts(random, rows), randomTexts(random, rows)];
      const cuts = randomCuts(random, rows);
      const table = tableOfChunks({
        id: chunked(random, id, random.pick(LAYOUTS), cuts),
        a: chunked(random, a, random.pick(LAYOUTS), cuts),
        b: chunked(random, b, random.pick(LAYOUTS), cuts),
      });
      const of = random.oneIn(3) ? ["b"] : ["a", "b"];
      const long = Frame.from(table).unpivot({ index: "id", of });
      expect(long.column("id").toStrings(), `seed ${seed}`).toEqual(of.flatMap(() => id));
      expect(long.column("variable").toStrings(), `seed ${seed}`).toEqual(of.flatMap((name) => id.map(() => name)));
      expect(long.column("value").toStrings(), `seed ${seed}`).toEqual(of.flatMap((name) => (name === "a" ? a : b)));
    }
  });

  it("in casts, filled nulls and new columns", () => {
    for (let seed = 1; seed <= runs(12, 2); seed++) {
      const random = new Random(seed);
      const rows = rowsOf(random);
      const [a, b] = [randomTexts(random, rows), randomTexts(random, rows)];
      const cuts = randomCuts(random, rows);
      const frame = Frame.from(
        tableOfChunks({
          a: chunked(random, a, random.pick(LAYOUTS), cuts),
          b: chunked(random, b, random.pick(LAYOUTS), cuts),
        }),
      );
      const filled = a.map((text, i) => text ?? b[i]);
      const made = frame.with({ c: frame.column("a").fill(frame.column("b") as never) });
      expect(made.column("c").toStrings(), `seed ${seed}`).toEqual(filled);
      expect(made.cast({ b: "String" }).column("b").toStrings(), `seed ${seed}`).toEqual(b);
      expect(made.fill({ value: "new" }).column("a").toStrings(), `seed ${seed}`).toEqual(a.map((t) => t ?? "new"));
    }
  });
});

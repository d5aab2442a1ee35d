import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { serve } from "../../src/server/serve.js";
import { COLLAPSES, OBSERVED_TRANSFORMS, ORDERS } from "../../src/spec/vocabulary.js";
import { FIRST_DAY, formatDate, LAST_DAY } from "../../src/value/date.js";
import { folderOf } from "../server/support.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { cellsOf, seriesOf } from "./tables.js";

type Row = readonly [string, ...(number | null)[]];

/** What the service has in SQL and a frame in TypeScript: written twice on purpose, and here held to be one. */
const values = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -50_000, max: 50_000 }).map((n) => n / 100) },
  { weight: 2, arbitrary: fc.double({ min: -1e9, max: 1e9, noNaN: true }) },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1e-9, 1e14, 123456789012345, -7) },
);

const series: fc.Arbitrary<{ width: number; rows: Row[] }> = fc
  .record({
    width: fc.integer({ min: 1, max: 3 }),
    start: fc.oneof(fc.integer({ min: FIRST_DAY, max: LAST_DAY - 30_000 }), fc.integer({ min: 10_000, max: 20_000 })),
    // Steps of days, weeks, months and years.
    steps: fc.constantFrom([1, 1, 3], [7], [1, 2, 40], [30, 31], [91], [365, 366, 700], [1]),
    length: fc.integer({ min: 0, max: 40 }),
    seed: fc.array(fc.tuple(fc.nat(), values, values, values), { minLength: 40, maxLength: 40 }),
  })
  .map(({ width, start, steps, length, seed }) => {
    let day = start;
    const rows = seed.slice(0, length).map(([choice, ...cells]): Row => {
      day += steps[choice % steps.length];
      return [formatDate(day), ...cells.slice(0, width)];
    });
    return { width, rows };
  });

const generated = fc.sample(series, { numRuns: runs(60), seed: 20240229 });

const files: Record<string, string | object> = {};
const datasets = generated.map(({ width, rows }, i) => {
  const columns = ["Date", "v1", "v2", "v3"].slice(0, width + 1);
  const lines = rows.map((row) => row.map((cell) => (cell === null ? "" : String(cell))).join(","));
  files[`s${i}.csv`] = [columns.join(","), ...lines, ""].join("\n");
  return { dataset_code: `S${i}`, name: `S${i}`, frequency: "daily", columns, file: `s${i}.csv` };
});
files["catalog.json"] = { databases: [{ database_code: "GEN", name: "GEN", premium: false, datasets }] };

/** The cells, -0 as 0. */
const numbered = (frame: Frame) => cellsOf(frame.table).map((row) => row.map((cell) => (cell === 0 ? 0 : cell)));

const questions = fc.record({
  of: fc.nat({ max: generated.length - 1 }),
  collapse: fc.constantFrom(...COLLAPSES),
  transform: fc.constantFrom(...OBSERVED_TRANSFORMS),
  order: fc.constantFrom(...ORDERS),
  limit: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  column: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  trim: fc.tuple(fc.nat({ max: 39 }), fc.nat({ max: 39 })),
  trims: fc.boolean(),
  newestFirst: fc.boolean(),
});

it("a frame computes what the service answers, to the last digit", async () => {
  const service = await serve({ data: folderOf(files) });
  onTestFinished(() => service.close());
  await forAllAsync(
    { numRuns: runs(600), seed: 7 },
    questions,
    async ({ of, column, trim, trims, newestFirst, ...rest }) => {
      const { width, rows } = generated[of];
      const chosen = column === undefined || column > width ? undefined : column;
      const days = trims && rows.length > 0 ? trim.map((at) => rows[at % rows.length][0]).sort() : [];
      const [start_date, end_date] = days;
      const query = { ...rest, start_date, end_date, column_index: chosen };
      const parameters = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : `${name}=${value}`,
      );
      const url = `${service.url}/api/v3/datasets/GEN/S${of}/data.json?api_key=sample&${parameters.join("&")}`;
      const answer = await fetch(url);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      expect(answer.status, new TextDecoder().decode(bytes)).toBe(200);
      const asked = Frame.fromJSON(bytes);

      const stored = newestFirst ? [...rows].reverse() : rows;
      const whole = Frame.from(seriesOf(stored, width + 1));
      const picked = chosen === undefined ? whole : whole.select(...["Date", `v${chosen}`].slice(0, chosen + 1));
      const computed = picked.query({ ...rest, from: start_date, to: end_date });
      expect(numbered(computed)).toEqual(numbered(asked));
    },
  );
});

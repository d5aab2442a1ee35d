import { Frame } from "../../src/index.js";
import { type Canonical, canonicals, cellsOfFrame } from "./canonical.js";
import {
  another,
  at,
  type Checks,
  columnsOf,
  expectCells,
  expectFrame,
  type Given,
  givenModels,
  modelOf,
  placesWhere,
  tableOf,
} from "./given.js";
import { compareCells, isNull, keyOf, rowsByKey, sortedRows } from "./order.js";
import type { Model } from "./random-table.js";

const some = ({ random, models }: Given): Model => random.pick(models);

/** The rows of a table at these places. */
const rowsAt = (given: Given, places: readonly number[]) => at(columnsOf(given), places);

/** Methods of frames that choose, order and rename rows and columns. */
export const rowChecks: Checks = {
  columns: ({ frame, models }) => {
    if (frame.columns.map(({ name }) => name).join() !== models.map(({ name }) => name).join())
      throw new Error("names");
    if (frame.numColumns !== models.length || frame.shape[1] !== models.length) throw new Error("numColumns");
  },
  column: (given) => {
    for (const model of given.models) expectFrame(given.frame.select(model.name), { [model.name]: canonicals(model) });
  },
  rows: (given) => {
    const names = given.models.map(({ name }) => name);
    let row = 0;
    for (const found of given.frame.rows({ decimals: "string" })) {
      for (const [i, model] of given.models.entries()) {
        const cell = (found as Record<string, unknown>)[names[i]];
        if ((cell === null || Number.isNaN(cell)) !== isNull(model.cells[row]))
          throw new Error(`${names[i]}, row ${row}`);
        if (model.kind === "text" && cell !== model.cells[row]) throw new Error(`${names[i]}, row ${row}: ${cell}`);
      }
      row++;
    }
    if (row !== given.rows) throw new Error(`${row} rows`);
  },
  toArray: (given) => {
    const { kind, name, cells } = modelOf(given, "double");
    const found = given.frame.toArray().map((row) => (row as Record<string, unknown>)[name]);
    expectCells(
      found.map((cell) => (Number.isNaN(cell) ? null : ((cell as number) ?? null) || (cell === null ? null : 0))),
      canonicals({ kind, name, cells, scale: 0, type: modelOf(given, "double").type }),
      name,
    );
  },
  select: (given) => {
    const [one, other] = [some(given), some(given)];
    if (one === other) return;
    expectFrame(given.frame.select(other.name, one.name), {
      [other.name]: canonicals(other),
      [one.name]: canonicals(one),
    });
  },
  drop: (given) => {
    const gone = some(given);
    const { [gone.name]: _, ...others } = columnsOf(given);
    expectFrame(given.frame.drop(gone.name), others);
  },
  rename: (given) => {
    const one = some(given);
    const named = Object.entries(columnsOf(given)).map(([name, cells]) => [name === one.name ? "new" : name, cells]);
    expectFrame(
      given.frame.rename({ [one.name]: "new" } as Record<string, string> & Record<number, never>),
      Object.fromEntries(named),
    );
  },
  with: (given) => {
    const one = some(given);
    const { frame } = given;
    const found = frame.with({ copy: frame.column(one.name), same: 5, [one.name]: frame.column(one.name) });
    const same = Array.from({ length: given.rows }, () => 5);
    expectFrame(found, { ...columnsOf(given), copy: canonicals(one), same });
  },
  cast: (given) => {
    const { name } = modelOf(given, "integer");
    expectFrame(given.frame.cast({ [name]: "BigDecimal(40,3)" } as never), columnsOf(given));
  },
  filter: (given) => {
    const { frame, random, rows, models } = given;
    const mask = Array.from({ length: rows }, () => random.oneIn(2));
    const wanted = rowsAt(
      given,
      placesWhere(rows, (row) => mask[row]),
    );
    expectFrame(frame.filter(mask), wanted);
    const column = frame.column(models[0].name).isNull();
    const nulls = placesWhere(rows, (row) => isNull(models[0].cells[row]));
    expectFrame(frame.filter(column), rowsAt(given, nulls));
    let at = 0;
    expectFrame(
      frame.filter(() => mask[at++]),
      wanted,
    );
  },
  dropNulls: (given) => {
    const [one, other] = [some(given), some(given)];
    const whole = (models: readonly Model[]) =>
      rowsAt(
        given,
        placesWhere(given.rows, (row) => models.every(({ cells }) => !isNull(cells[row]))),
      );
    expectFrame(given.frame.dropNulls(one.name, other.name), whole([one, other]));
    expectFrame(given.frame.dropNulls(), whole(given.models));
  },
  sample: (given) => {
    const { frame, rows, random, models } = given;
    const numbered = frame.with({ place: Array.from({ length: rows }, (_, i) => i) });
    const checked = (found: Frame, count: number) => {
      const places = cellsOfFrame(found)["place"] as number[];
      if (new Set(places).size !== count) throw new Error(`${new Set(places).size} rows where ${count}`);
      expectFrame(found.drop("place"), rowsAt({ ...given, models }, places));
    };
    const count = random.below(rows + 1);
    const seed = random.below(100);
    checked(numbered.sample(count, { seed }), count);
    checked(numbered.sample({ fraction: count / Math.max(rows, 1) }, { seed }), count);
  },
  sort: (given) => {
    const keys = Array.from({ length: 1 + given.random.below(2) }, () => some(given));
    if (new Set(keys).size < keys.length) return;
    const ordered = keys.map((model) => [model, given.random.pick(["asc", "desc"] as const)] as const);
    const places = sortedRows(given.rows, ordered);
    expectFrame(
      given.frame.sort(...ordered.map(([{ name }, direction]) => [name, direction] as const)),
      rowsAt(given, places),
    );
  },
  take: (given) => {
    const { frame, rows, random } = given;
    const places = rows === 0 ? [] : Array.from({ length: random.below(2 * rows) }, () => random.below(rows));
    expectFrame(frame.take(places), rowsAt(given, places));
    expectFrame(
      frame.take(places).take(places.map((_, i) => places.length - 1 - i)),
      rowsAt(given, [...places].reverse()),
    );
  },
  head: (given) =>
    ends(
      given,
      (frame, count) => frame.head(count),
      (row, count) => row < count,
    ),
  tail: (given) =>
    ends(
      given,
      (frame, count) => frame.tail(count),
      (row, count, rows) => row >= rows - count,
    ),
  slice: (given) => {
    const { frame, rows, random } = given;
    const [from, end] = [random.below(rows + 1), random.below(rows + 1)];
    expectFrame(
      frame.slice(from, end),
      rowsAt(
        given,
        placesWhere(rows, (row) => row >= from && row < end),
      ),
    );
    expectFrame(
      frame.slice(-from),
      rowsAt(
        given,
        placesWhere(rows, (row) => from === 0 || row >= rows - from),
      ),
    );
  },
  concat: (given) => {
    const { frame, random } = given;
    const more = givenModels(given.models, random);
    const joined = columnsOf(given);
    const twice = Object.fromEntries(
      Object.entries(joined).map(([name, cells]) => [name, [...cells, ...cells, ...cells]]),
    );
    expectFrame(Frame.concat([frame, more.frame, frame]), twice);
  },
  unique: (given) => {
    const keys = [some(given), some(given)].slice(given.random.below(2));
    if (new Set(keys).size < keys.length) return;
    const firsts = [...rowsByKey(keys, given.rows).values()].map(([first]) => first);
    expectFrame(given.frame.unique(...keys.map(({ name }) => name)), rowsAt(given, firsts));
  },
  valueCounts: (given) => {
    const key = some(given);
    const groups = [...rowsByKey([key], given.rows).values()].sort((a, b) => b.length - a.length || a[0] - b[0]);
    const cells = at(
      { [key.name]: canonicals(key) },
      groups.map(([first]) => first),
    );
    expectFrame(given.frame.valueCounts(key.name), { ...cells, count: groups.map((rows) => String(rows.length)) });
  },
  info: (given) => {
    const found = cellsOfFrame(given.frame.info());
    expectCells(
      found["column"],
      given.models.map(({ name }) => name),
      "column",
    );
    const nulls = given.models.map(({ cells }) => String(cells.filter((cell) => isNull(cell)).length));
    expectCells(found["nulls"], nulls, "nulls");
    expectCells(
      found["values"],
      nulls.map((count) => String(given.rows - Number(count))),
      "values",
    );
  },
  unpivot: (given) => {
    const both = tableOf(given, ["date", "text", "text"]);
    const [day, ...texts] = both.models;
    const found = both.frame.unpivot({ index: day.name, columns: "name", values: "text" });
    const places = texts.flatMap((model) => Array.from({ length: both.rows }, (_, row) => [model, row] as const));
    const days = canonicals(day);
    expectFrame(found, {
      [day.name]: places.map(([, row]) => days[row]),
      name: places.map(([model]) => model.name),
      text: places.map(([model, row]) => model.cells[row] as string | null),
    });
  },
  pivot: (given) => {
    const { frame, models, rows } = tableOf(given, ["date", "text", "decimal"]);
    const [index, columns, values] = models;
    if (rowsByKey([index], rows).size * rowsByKey([columns], rows).size > 2e6) return;
    if (columns.cells.includes(null) && columns.cells.includes("null")) return;
    const found = cellsOfFrame(
      frame.pivot({ index: index.name, columns: columns.name, values: values.name, agg: "last" }),
    );
    const firstsOf = (model: Model) =>
      sortedRows(rows, [[model, "asc"]]).filter(
        (row, i, all) => i === 0 || keyOf([model], row) !== keyOf([model], all[i - 1]),
      );
    const down = firstsOf(index);
    const cells = canonicals(values);
    const last = new Map<string, number>();
    for (let row = 0; row < rows; row++) if (cells[row] !== null) last.set(keyOf([index, columns], row), row);
    expectCells(found[index.name] ?? [], at({ i: canonicals(index) }, down)["i"], "index");
    for (const across of firstsOf(columns)) {
      const name = columns.cells[across] === null ? "null" : (columns.cells[across] as string);
      const wanted = down.map((row) => {
        const held = last.get(`${keyOf([index], row)}\u0001${keyOf([columns], across)}`);
        return held === undefined ? null : cells[held];
      });
      expectCells(found[name], wanted, `column ${name}`);
    }
  },
  join: (given) => {
    const left = tableOf(given, [given.random.pick(["text", "integer", "date", "boolean"]), "decimal"], 30);
    const right = another(left, 30, [left.models[0].name, "other"]);
    const sameType = { ...right.models[0], type: left.models[0].type };
    const other = givenModels([sameType, right.models[1]], given.random);
    const [key, value] = left.models;
    const [mate, added] = other.models;
    if (!fits(sameType, key)) return;
    const pairs: [number, number][] = [];
    const alone: [number, number][] = [];
    for (let l = 0; l < left.rows; l++) {
      const before = pairs.length;
      for (let r = 0; r < other.rows; r++) {
        if (!isNull(key.cells[l]) && keyOf([key], l) === keyOf([mate], r)) pairs.push([l, r]);
      }
      if (pairs.length === before) alone.push([l, -1]);
    }
    const inOrder = [...pairs, ...alone].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const shown = (rows: readonly (readonly [number, number])[]) => ({
      [key.name]: at(
        { k: canonicals(key) },
        rows.map(([l]) => l),
      )["k"],
      [value.name]: at(
        { v: canonicals(value) },
        rows.map(([l]) => l),
      )["v"],
      other: at(
        { o: canonicals(added) },
        rows.map(([, r]) => r),
      )["o"],
    });
    expectFrame(left.frame.join(other.frame, { on: key.name }) as Frame, shown(pairs));
    expectFrame(left.frame.join(other.frame, { on: key.name, how: "left" }) as Frame, shown(inOrder));
    const mates = new Set(pairs.map(([l]) => l));
    const semi = placesWhere(left.rows, (row) => mates.has(row));
    const anti = placesWhere(left.rows, (row) => !mates.has(row));
    expectFrame(left.frame.join(other.frame, { on: key.name, how: "semi" }) as Frame, at(columnsOf(left), semi));
    expectFrame(left.frame.join(other.frame, { on: key.name, how: "anti" }) as Frame, at(columnsOf(left), anti));
  },
  asof: (given) => {
    const left = tableOf(given, [given.random.pick(["date", "timestamp"]), "integer"], 30);
    const right = another(left, 30, [left.models[0].name, "other"]);
    const mate = uniqueTimes({ ...right.models[0], type: left.models[0].type, scale: left.models[0].scale });
    const added = { ...right.models[1], cells: mate.kept.map((row) => right.models[1].cells[row]) };
    const other = givenModels([mate.model, added], given.random);
    const [time] = left.models;
    if (time.cells.includes(null)) return;
    const found = left.frame.asof(other.frame, { on: time.name, by: [] }) as Frame;
    const picked = time.cells.map((now) => {
      let best = -1;
      for (const [r, then] of mate.model.cells.entries()) {
        if (compareCells(then, now) > 0) continue;
        if (best < 0 || compareCells(then, mate.model.cells[best]) > 0) best = r;
      }
      return best;
    });
    expectFrame(found, { ...columnsOf(left), other: at({ o: canonicals(added) }, picked)["o"] });
  },
};

/** Whether the cells of a column made for one type fit the type of another. */
function fits(model: Model, { type, kind }: Model): boolean {
  if (kind !== "integer" || (type as { bitWidth?: number }).bitWidth === 64) return true;
  return model.cells.every((cell) => cell === null || BigInt.asIntN(32, cell as bigint) === cell);
}

/** The column without nulls and repeated cells, and the rows that are left. */
function uniqueTimes(model: Model): { readonly model: Model; readonly kept: readonly number[] } {
  const kept = placesWhere(
    model.cells.length,
    (row) => model.cells[row] !== null && model.cells.indexOf(model.cells[row]) === row,
  );
  return { model: { ...model, cells: kept.map((row) => model.cells[row]) }, kept };
}

function ends(
  given: Given,
  method: (frame: Frame, count: number) => Frame,
  test: (row: number, count: number, rows: number) => boolean,
): void {
  const count = given.random.below(given.rows + 3);
  const wanted: Record<string, Canonical[]> = rowsAt(
    given,
    placesWhere(given.rows, (row) => test(row, count, given.rows)),
  );
  expectFrame(method(given.frame, count), wanted);
}

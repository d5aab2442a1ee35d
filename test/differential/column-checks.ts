import type { Column } from "../../src/index.js";
import { formatDate } from "../../src/value/date.js";
import { type Canonical, canonical, canonicals, cellsOfVector, plain } from "./canonical.js";
import { type Check, type Checks, expectCells, expectNear, type Given, modelOf, tableOf } from "./given.js";
import { compareCells, isNull, rowsByKey } from "./order.js";
import type { Cell, Kind, Model } from "./random-table.js";

type AnyColumn = { readonly [method: string]: (...given: unknown[]) => Column };

export const columnOf = ({ frame }: Given, { name }: Model): AnyColumn => frame.column(name) as unknown as AnyColumn;
export const cells = (column: unknown): Canonical[] => cellsOfVector((column as Column).vector);
const NUMBERS: readonly Kind[] = ["integer", "decimal", "double"];

/** The exact units of a number of one scale at a larger one. */
const units = (cell: Cell, from: number, to: number): bigint => (cell as bigint) * 10n ** BigInt(to - from);

/** Runs a computation that may be refused for its size, as the documents say. */
export function unlessTooWide(run: () => void): void {
  try {
    run();
  } catch (error) {
    if ((error as { code?: string }).code !== "Overflow") throw error;
  }
}

/** Arithmetic of two columns, exact for integers and decimals, as in IEEE 754 where one is a double. */
function arithmetic(
  how: string,
  exact: (a: bigint, b: bigint, scaleA: number, scaleB: number) => string,
  float: (a: number, b: number) => number,
): Check {
  return (given) => {
    const both = tableOf(given, [given.random.pick(NUMBERS), given.random.pick(NUMBERS)]);
    const [a, b] = both.models;
    unlessTooWide(() => {
      const found = cells(columnOf(both, a)[how](columnOf(both, b)));
      if (a.kind !== "double" && b.kind !== "double") {
        const wanted = a.cells.map((cell, row) => {
          const other = b.cells[row];
          return cell === null || other === null ? null : exact(cell as bigint, other as bigint, a.scale, b.scale);
        });
        expectCells(found, wanted, how);
        return;
      }
      const wanted = a.cells.map((cell, row) => {
        const other = b.cells[row];
        if (isNull(cell) || isNull(other)) return null;
        const result = float(numberOf(cell, a), numberOf(other, b));
        return Number.isNaN(result) ? null : result;
      });
      expectNear(found, wanted, how);
    });
  };
}

export const numberOf = (cell: Cell, { kind, scale }: Model): number =>
  kind === "double" ? (cell as number) : Number(plain(cell as bigint, scale));

/** One column of a kind that the method has, and what each cell becomes. */
export function perCell(
  how: string,
  kinds: readonly Kind[],
  given: readonly unknown[],
  of: (cell: Cell, model: Model) => Canonical,
): Check {
  return (table) => {
    const model = modelOf(table, table.random.pick(kinds));
    const found = cells(columnOf(table, model)[how](...given));
    expectCells(
      found,
      model.cells.map((cell) => (isNull(cell) ? null : of(cell, model))),
      how,
    );
  };
}

/** A comparison of two columns of one kind and with a constant; rows with NaN are not compared. */
function comparison(how: string, test: (order: number) => boolean): Check {
  return (given) => {
    const kind = given.random.pick(["integer", "decimal", "double", "text", "date", "timestamp"] as const);
    const both = tableOf(given, [kind, kind]);
    const [a, b] = both.models;
    const found = cells(columnOf(both, a)[how](columnOf(both, b)));
    const scale = Math.max(a.scale, b.scale);
    const scaled = (cell: Cell, model: Model): Cell =>
      typeof cell === "bigint" ? units(cell, model.scale, scale) : cell;
    for (let row = 0; row < both.rows; row++) {
      const [one, other] = [a.cells[row], b.cells[row]];
      if (Number.isNaN(one) || Number.isNaN(other)) continue;
      const wanted = one === null || other === null ? null : test(compareCells(scaled(one, a), scaled(other, b)));
      if (found[row] !== wanted) throw new Error(`${how} of ${kind}, row ${row}: ${found[row]} where ${wanted}`);
    }
  };
}

/** The cells with a value. */
const held = (model: Model): Cell[] => model.cells.filter((cell) => !isNull(cell));

function extreme(how: "min" | "max"): Check {
  return (given) => {
    for (const model of given.models.filter(({ kind }) => kind !== "boolean")) {
      const wanted = held(model).reduce<Cell>(
        (best, cell) =>
          best === null || (how === "min" ? compareCells(cell, best) < 0 : compareCells(cell, best) > 0) ? cell : best,
        null,
      );
      const texts = given.frame.column(model.name).toStrings();
      const found = (columnOf(given, model)[how] as unknown as (o: object) => unknown)({ decimals: "string" });
      if (wanted === null) {
        if (found !== null) throw new Error(`${how} of ${model.kind}: ${found} where null`);
        continue;
      }
      const place = model.cells.indexOf(wanted);
      const isSame =
        typeof found === "number" ? Number(texts[place]) === found || found === wanted : String(found) === texts[place];
      if (!isSame) throw new Error(`${how} of ${model.kind}: ${found} where ${texts[place]}`);
    }
  };
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** Numbers of a size that sums of doubles hold without a loss that matters. */
const tame = (given: Given): Model => {
  const model = modelOf(given, given.random.pick(["integer", "decimal"]));
  return model;
};

/** Methods of columns. */
export const columnChecks: Checks = {
  get: (given) => {
    const model = modelOf(given, "text");
    const column = columnOf(given, model);
    const found = model.cells.map((_, row) => (column.get as unknown as (row: number) => Canonical)(row));
    expectCells(found, canonicals(model), "get");
  },
  values: (given) => {
    const model = modelOf(given, "text");
    const found = [...(columnOf(given, model).values as unknown as () => Iterable<Canonical>)()];
    expectCells(found, canonicals(model), "values");
    expectCells([...(columnOf(given, model) as unknown as Iterable<Canonical>)], canonicals(model), "iterator");
  },
  toStrings: (given) => {
    const exact = given.models.filter(
      ({ kind }) => kind === "decimal" || kind === "integer" || kind === "text" || kind === "date",
    );
    for (const model of exact) {
      const found = given.frame.column(model.name).toStrings();
      const wanted = model.cells.map((cell) => {
        if (cell === null || typeof cell === "string") return cell;
        if (model.kind === "date") return dayText(Number(cell));
        const digits = plain(cell as bigint, model.scale);
        const [whole, fraction = ""] = digits.split(".");
        return model.scale === 0 ? digits : `${whole}.${fraction.padEnd(model.scale, "0")}`;
      });
      expectCells(found, wanted, `toStrings of ${model.kind}`);
    }
  },
  toNumbers: (given) => {
    for (const kind of NUMBERS) {
      const model = modelOf(given, kind);
      const found = [...given.frame.column(model.name).toNumbers()].map((n) => (Number.isNaN(n) ? null : n || 0));
      const wanted = model.cells.map((cell) => (isNull(cell) ? null : numberOf(cell, model) || 0));
      expectCells(found, wanted, `toNumbers of ${kind}`);
    }
  },
  toBigInts: (given) => {
    for (const kind of ["integer", "decimal"] as const) {
      const model = modelOf(given, kind);
      const found = given.frame
        .column(model.name)
        .toBigInts()
        .map((n) => (n === null ? null : String(n)));
      expectCells(
        found,
        model.cells.map((cell) => (cell === null ? null : String(cell))),
        `toBigInts of ${kind}`,
      );
    }
  },
  toDates: (given) => {
    for (const kind of ["date", "timestamp"] as const) {
      const model = modelOf(given, kind);
      const found = given.frame
        .column(model.name)
        .toDates()
        .map((date) => (date === null ? null : date.getTime()));
      const wanted = model.cells.map((cell) => (cell === null ? null : millisecondOf(cell as bigint, model)));
      expectCells(found, wanted, `toDates of ${kind}`);
    }
  },
  toArray: (given) => {
    const model = modelOf(given, "boolean");
    expectCells(given.frame.column(model.name).toArray() as Canonical[], canonicals(model), "toArray");
  },
  add: arithmetic(
    "add",
    (a, b, s, t) => sumText(a, b, s, t, 1n),
    (a, b) => a + b,
  ),
  sub: arithmetic(
    "sub",
    (a, b, s, t) => sumText(a, b, s, t, -1n),
    (a, b) => a - b,
  ),
  mul: arithmetic(
    "mul",
    (a, b, s, t) => plain(a * b, s + t),
    (a, b) => a * b,
  ),
  div: (given) => {
    const both = tableOf(given, ["integer", "integer"]);
    const [a, b] = both.models;
    const scale = given.random.below(12);
    unlessTooWide(() => {
      const found = cells(columnOf(both, a).div(columnOf(both, b), { scale }));
      const wanted = a.cells.map((cell, row) => {
        const other = b.cells[row];
        if (cell === null || other === null || other === 0n) return null;
        return plain(halfToEven((cell as bigint) * 10n ** BigInt(scale), other as bigint), scale);
      });
      expectCells(found, wanted, "div");
    });
  },
  neg: perCell("neg", ["decimal", "double"], [], (cell, { kind, scale }) =>
    kind === "double" ? canonical(-(cell as number), kind, 0) : plain(-(cell as bigint), scale),
  ),
  abs: perCell("abs", ["decimal", "double"], [], (cell, { kind, scale }) => {
    if (kind === "double") return Math.abs(cell as number);
    return plain((cell as bigint) < 0n ? -(cell as bigint) : (cell as bigint), scale);
  }),
  round: perCell("round", ["decimal"], [0], (cell, { scale }) =>
    plain(halfToEven(cell as bigint, 10n ** BigInt(scale)), 0),
  ),
  floor: perCell("floor", ["decimal"], [], (cell, { scale }) =>
    plain(floorDivide(cell as bigint, 10n ** BigInt(scale)), 0),
  ),
  eq: comparison("eq", (order) => order === 0),
  ne: comparison("ne", (order) => order !== 0),
  lt: comparison("lt", (order) => order < 0),
  le: comparison("le", (order) => order <= 0),
  gt: comparison("gt", (order) => order > 0),
  ge: comparison("ge", (order) => order >= 0),
  between: (given) => {
    const model = modelOf(given, "integer");
    const [low, high] = [-3 - given.random.below(5), given.random.below(8)];
    const wanted = model.cells.map((cell) =>
      cell === null ? null : (cell as bigint) >= BigInt(low) && (cell as bigint) <= BigInt(high),
    );
    expectCells(cells(columnOf(given, model).between(low, high)), wanted, "between");
  },
  isIn: (given) => {
    const model = modelOf(given, given.random.pick(["integer", "decimal", "text", "date", "timestamp"]));
    const places = model.cells.map((_, row) => row).filter((row) => model.cells[row] !== null && given.random.oneIn(4));
    const texts = given.frame.column(model.name).toStrings();
    const set = new Set(places.map((row) => model.cells[row]));
    const wanted = model.cells.map((cell) => (cell === null ? null : set.has(cell)));
    const list = places.map((row) => texts[row]);
    if (list.length > 0) expectCells(cells(columnOf(given, model).isIn(list)), wanted, `isIn of ${model.kind}`);
  },
  and: logic("and", (a, b) => (a === false || b === false ? false : a === null || b === null ? null : true)),
  or: logic("or", (a, b) => (a === true || b === true ? true : a === null || b === null ? null : false)),
  not: perCell("not", ["boolean"], [], (cell) => !cell),
  mean: (given) => {
    const model = tame(given);
    const values = held(model).map((cell) => numberOf(cell, model));
    const size = Math.max(0, ...values.slice(0, 50_000).map(Math.abs));
    const found = (columnOf(given, model).mean as unknown as () => number | null)();
    expectNear([found], [values.length === 0 ? null : mean(values)], "mean", () => size);
  },
  sum: (given) => {
    const model = tame(given);
    const wanted =
      held(model).length === 0
        ? null
        : plain(
            held(model).reduce<bigint>((sum, cell) => sum + (cell as bigint), 0n),
            model.scale,
          );
    unlessTooWide(() => {
      const found = (columnOf(given, model).sum as unknown as (o: object) => unknown)({ decimals: "string" });
      const [whole, fraction] = String(found).split(".");
      const short = fraction === undefined ? whole : `${whole}.${fraction}`.replace(/\.?0+$/, "");
      expectCells([found === null ? null : short.replace(/^-0$/, "0")], [wanted], "sum");
    });
  },
  min: extreme("min"),
  max: extreme("max"),
  std: (given) => {
    const model = tame(given);
    const values = held(model).map((cell) => numberOf(cell, model));
    const center = mean(values);
    const square = values.reduce((sum, one) => sum + (one - center) ** 2, 0) / (values.length - 1);
    const size = Math.max(0, ...values.slice(0, 50_000).map(Math.abs));
    const found = (columnOf(given, model).std as unknown as () => number | null)();
    expectNear([found], [values.length < 2 ? null : Math.sqrt(square)], "std", () => 10 * size);
  },
  unique: (given) => {
    for (const model of given.models) {
      const firsts = [...rowsByKey([model], given.rows).values()].map(([first]) => first);
      const all = canonicals(model);
      expectCells(
        cells(given.frame.column(model.name).unique()),
        firsts.map((row) => all[row]),
        `unique of ${model.kind}`,
      );
    }
  },
  nunique: (given) => {
    for (const model of given.models) {
      const wanted = new Set(canonicals(model).filter((cell) => cell !== null)).size;
      const found = given.frame.column(model.name).nunique();
      if (found !== wanted) throw new Error(`nunique of ${model.kind}: ${found} where ${wanted}`);
    }
  },
  isNull: (given) => {
    for (const model of given.models) {
      expectCells(cells(given.frame.column(model.name).isNull()), model.cells.map(isNull), `isNull of ${model.kind}`);
    }
  },
  fill: (given) => {
    const text = modelOf(given, "text");
    expectCells(
      cells(columnOf(given, text).fill("new")),
      text.cells.map((cell) => (cell ?? "new") as Canonical),
      "fill",
    );
    const double = modelOf(given, "double");
    const wanted = double.cells.map((cell) => (isNull(cell) ? 4.5 : canonical(cell, "double", 0)));
    expectCells(cells(columnOf(given, double).fill(4.5)), wanted, "fill of double");
  },
  startsWith: perCell("startsWith", ["text"], ["w1"], (cell) => (cell as string).startsWith("w1")),
  year: calendarPart("year", (date) => date.getUTCFullYear()),
  month: calendarPart("month", (date) => date.getUTCMonth() + 1),
  weekday: calendarPart("weekday", (date) => ((date.getUTCDay() + 6) % 7) + 1),
  cast: (given) => {
    const integer = modelOf(given, "integer");
    expectCells(cells(columnOf(given, integer).cast("BigDecimal(30,2)")), canonicals(integer), "cast to a decimal");
    const stamp = modelOf(given, "timestamp");
    const days = stamp.cells.map((cell) =>
      cell === null ? null : `day ${floorDivide(cell as bigint, 86_400n * 10n ** BigInt(stamp.scale))}`,
    );
    expectCells(cells(columnOf(given, stamp).cast("Date", { onPrecisionLoss: "round" })), days, "cast to Date");
  },
};

function calendarPart(how: string, of: (date: Date) => number): Check {
  return (given) => {
    for (const kind of ["date", "timestamp"] as const) {
      const model = modelOf(given, kind);
      const wanted = model.cells.map((cell) =>
        cell === null ? null : String(of(new Date(millisecondOf(cell as bigint, model)))),
      );
      expectCells(cells(columnOf(given, model)[how]()), wanted, `${how} of ${kind}`);
    }
  };
}

function logic(how: string, of: (a: Cell, b: Cell) => Canonical): Check {
  return (given) => {
    const both = tableOf(given, ["boolean", "boolean"]);
    const [a, b] = both.models;
    const wanted = a.cells.map((cell, row) => of(cell, b.cells[row]));
    expectCells(cells(columnOf(both, a)[how](columnOf(both, b))), wanted, how);
  };
}

function sumText(a: bigint, b: bigint, scaleA: number, scaleB: number, sign: bigint): string {
  const scale = Math.max(scaleA, scaleB);
  return plain(units(a, scaleA, scale) + sign * units(b, scaleB, scale), scale);
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function halfToEven(a: bigint, b: bigint): bigint {
  const below = floorDivide(a, b);
  const twice = 2n * (a - below * b);
  const size = b < 0n ? -b : b;
  const rest = twice < 0n ? -twice : twice;
  if (rest < size) return below;
  if (rest > size) return below + 1n;
  return below % 2n === 0n ? below : below + 1n;
}

/** Milliseconds since 1970, of days and of timestamps, rounded down. */
export function millisecondOf(cell: bigint, { kind, scale }: Model): number {
  if (kind === "date") return Number(cell) * 86_400_000;
  return scale <= 3 ? Number(cell) * 10 ** (3 - scale) : Number(floorDivide(cell, 10n ** BigInt(scale - 3)));
}

const dayText = (day: number): string => formatDate(day);

import { Frame } from "../../src/index.js";
import { Random } from "../fuzz/random.js";
import { type Canonical, canonicals, cellsOfFrame } from "./canonical.js";
import { arrowTable, type Kind, type Model, randomModel, randomTable } from "./random-table.js";

/** What a check works on: a random table as a frame and as plain columns. */
export interface Given {
  readonly random: Random;
  readonly frame: Frame;
  readonly models: readonly Model[];
  readonly rows: number;
}

/** Compares one method with a plain computation of the same; throws at the first cell that differs. */
export type Check = (given: Given) => void | Promise<void>;

/** Checks by the name of the method. */
export type Checks = Readonly<Record<string, Check>>;

/** The table of a seed. */
export function givenOf(seed: number): Given {
  const random = new Random(seed);
  const { models, table, rows } = randomTable(random);
  return { random, models, rows, frame: Frame.from(table) };
}

/** A table of columns of these kinds, for verbs that need several of one. */
export function tableOf({ random }: Given, kinds: readonly Kind[], most?: number): Given {
  const { models, table, rows } = randomTable(random, kinds, most);
  return { random, models, rows, frame: Frame.from(table) };
}

/** More rows of the same columns, or of columns with other names. */
export function another({ models, random }: Given, most: number, names = models.map(({ name }) => name)): Given {
  const rows = random.below(most + 1);
  const made = models.map(({ kind }, i) => randomModel(names[i], kind, rows, random));
  return givenModels(made, random);
}

/** A table of these columns. */
export function givenModels(models: readonly Model[], random: Random): Given {
  const table = arrowTable(models, random);
  return { random, models, rows: table.numRows, frame: Frame.from(table) };
}

/** The column of a kind. */
export const modelOf = ({ models }: Given, kind: Kind): Model => models.find((model) => model.kind === kind) as Model;

/** Every column by name. */
export const columnsOf = ({ models }: Given): Record<string, Canonical[]> =>
  Object.fromEntries(models.map((model) => [model.name, canonicals(model)]));

/** The rows at these places, in this order; -1 is a row of nulls. */
export function at(columns: Readonly<Record<string, readonly Canonical[]>>, places: readonly number[]) {
  return Object.fromEntries(
    Object.entries(columns).map(([name, cells]) => [name, places.map((place) => cells[place] ?? null)]),
  );
}

/** Throws where a frame has other columns or cells. */
export function expectFrame(found: Frame, expected: Readonly<Record<string, readonly Canonical[]>>): void {
  const names = found.columns.map(({ name }) => name);
  if (names.join() !== Object.keys(expected).join()) throw new Error(`columns ${names} where ${Object.keys(expected)}`);
  const cells = cellsOfFrame(found);
  for (const [name, values] of Object.entries(expected)) expectCells(cells[name], values, name);
}

/** Throws where cells differ. */
export function expectCells(found: readonly Canonical[], expected: readonly Canonical[], what: string): void {
  if (found.length !== expected.length) throw new Error(`${what}: ${found.length} cells where ${expected.length}`);
  for (let i = 0; i < found.length; i++) {
    if (found[i] !== expected[i]) throw new Error(`${what}, row ${i}: ${text(found[i])} where ${text(expected[i])}`);
  }
}

/** Throws where numbers are further apart than rounding explains: `size` is that of the numbers they were made of. */
export function expectNear(
  found: readonly Canonical[],
  expected: readonly (number | null)[],
  what: string,
  size: (row: number) => number = () => 0,
): void {
  if (found.length !== expected.length) throw new Error(`${what}: ${found.length} cells where ${expected.length}`);
  for (let i = 0; i < found.length; i++) {
    const [a, b] = [found[i] === null ? null : Number(found[i]), expected[i]];
    if (a === b) continue;
    const bound = 1e-9 * Math.max(Math.abs(b ?? 0), size(i), Number.MIN_VALUE * 1e10);
    if (a === null || b === null || !(Math.abs(a - b) <= bound)) throw new Error(`${what}, row ${i}: ${a} where ${b}`);
  }
}

const text = (cell: Canonical | undefined): string => (typeof cell === "string" ? JSON.stringify(cell) : String(cell));

/** The rows where a condition holds. */
export const placesWhere = (rows: number, test: (row: number) => boolean): number[] =>
  Array.from({ length: rows }, (_, row) => row).filter(test);

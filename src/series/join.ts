import { Schema, type Table, Vector } from "../columns/arrow/arrow.js";
import { columnIndex, namesOf } from "../columns/arrow/column-names.js";
import { tableOfVectors } from "../columns/table/of-vectors.js";
import { keyed } from "../columns/table/pick.js";
import { takeRows, takeVector } from "../columns/table/take.js";
import { InputError } from "../errors/errors.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { listOf, vectorAt } from "./core/choose.js";
import { fieldAs, joinedKey, keysOf } from "./core/keys.js";
import { type Computed, renamed } from "./core/numbers.js";
import { refuseRepeatedNames, refuseTooManyRows } from "./core/result-shape.js";
import { inBatches, withColumns } from "./core/tables.js";
import { matchesOf, type Pairs, pairsOf } from "./track/matches.js";
import { picksOf } from "./track/picks.js";

/** Which rows a join keeps: those of both, all of the left or right table, of either; see {@link join}. */
export const JOINS = ["inner", "left", "right", "outer", "semi", "anti", "cross"] as const;
/** Which rows a join keeps. */
export type JoinKind = (typeof JOINS)[number];

/** Options of {@link Frame.join}. */
export interface JoinOptions<Left extends string = string, Right extends string = string> {
  /** Key columns that both tables have. */
  readonly on?: (Left & Right) | readonly (Left & Right)[];
  /** Key columns of the left table, where the right one names them differently. */
  readonly leftOn?: Left | readonly Left[];
  /** As many key columns of the right table. */
  readonly rightOn?: Right | readonly Right[];
  /** `inner` (default), `left`, `right`, `outer`, `semi`, `anti` or `cross`. */
  readonly how?: JoinKind;
  /** What follows the names of other columns that both tables have, left and right; `["", "_right"]` by default. */
  readonly suffixes?: readonly [left: string, right: string];
}

/**
 * The rows of two tables side by side where their keys are equal; null equals nothing, as in SQL. Rows are in the order
 * of the left table, those of one key in the order of the right one.
 *
 * - `inner`: the pairs; `left`: and the left rows without one; `right`: the pairs in the order of the right table, and
 *   the right rows without one; `outer`: as `left`, then the right rows without one.
 * - `semi`: the left rows with a pair, each once; `anti`: those without; `cross`: every pair, without a key.
 *
 * The key columns come once, under the left names. Where no key of the right table repeats, the left columns of `left`
 * are shared, not copied, and the key of the left table stays.
 *
 * @throws {InputError} BadArgument for keys that do not go together and for 2^31 rows or more, UnknownColumn,
 *   DifferentTypes, DuplicateColumn, UnknownValue
 */
export function join(left: Table, right: Table, options: JoinOptions = {}): Table {
  refuseUnknown(options, ["on", "leftOn", "rightOn", "how", "suffixes"], "join()");
  const how = oneOf(options.how ?? "inner", JOINS, "how");
  const [suffixLeft, suffixRight] = suffixesOf(options.suffixes);
  const columns = keyColumns(left, right, options, how);
  const pairs = pairsFor(left, right, columns, how);
  const isUnique = pairs.rightIsUnique && how !== "right" && how !== "outer" && how !== "cross";
  const lefts = pairs.left === undefined ? left : takeRows(left, pairs.left);
  const base = isUnique ? lefts : keyed(lefts, []);
  if (how === "semi" || how === "anti") return base;
  const keys = keyVectors(left, right, columns, pairs, how);
  const cuts = inBatches(base).batches.map(({ numRows }) => numRows);
  const taken = new Set(left.schema.fields.map(({ name }) => name));
  const added = right.schema.fields.flatMap((field, at): Pieces[] => {
    if (columns.right.includes(at)) return [];
    const name = taken.has(field.name) ? field.name + suffixRight : field.name;
    const vector = vectorAt(right, at);
    const { data: pieces, type } = pairs.right.taken(vector, cuts);
    return [{ field: renamed(field, name).clone({ nullable: true, type }), pieces }];
  });
  const both = new Set(right.schema.fields.flatMap(({ name }, at) => (columns.right.includes(at) ? [] : [name])));
  const renamedLeft = left.schema.fields.map(({ name }, at) =>
    both.has(name) && !columns.left.includes(at) ? name + suffixLeft : name,
  );
  const made = withKeys(base, keys, renamedLeft, added);
  refuseRepeatedNames(namesOf(made), 'Pass suffixes: { suffixes: ["_a", "_b"] }.');
  return made;
}

/** A column of the result in pieces, one for each batch of its table. */
type Pieces = Extract<Computed, { readonly pieces: unknown }>;

interface KeyColumns {
  readonly left: readonly number[];
  readonly right: readonly number[];
}

function suffixesOf(suffixes: unknown): readonly [string, string] {
  if (suffixes === undefined) return ["", "_right"];
  if (Array.isArray(suffixes) && suffixes.length === 2 && suffixes.every((suffix) => typeof suffix === "string")) {
    return suffixes as unknown as readonly [string, string];
  }
  throw new InputError("join() expects two suffixes, for the left and the right table.", {
    code: "BadArgument",
    hint: 'Pass strings: { suffixes: ["", "_right"] }.',
  });
}

function keyColumns(left: Table, right: Table, { on, leftOn, rightOn }: JoinOptions, how: JoinKind): KeyColumns {
  const [both, first, second] = [listOf(on), listOf(leftOn), listOf(rightOn)];
  const isNamed = both.length > 0 || first.length > 0 || second.length > 0;
  const isRight = both.length > 0 ? first.length + second.length === 0 : first.length === second.length;
  if (isNamed !== (how !== "cross") || !isRight) {
    throw new InputError(
      how === "cross" ? "A cross join has no key columns." : "join() expects `on`, or `leftOn` and as many `rightOn`.",
      { code: "BadArgument", hint: 'Name the key: join(other, { on: "ticker" }).' },
    );
  }
  return {
    left: (both.length > 0 ? both : first).map((name) => columnIndex(left, name)),
    right: (both.length > 0 ? both : second).map((name) => columnIndex(right, name)),
  };
}

function pairsFor(left: Table, right: Table, columns: KeyColumns, how: JoinKind): Pairs {
  if (how === "cross") return crossed(left.numRows, right.numRows);
  const { codes } = keysOf([left, right], [columns.left, columns.right]);
  const vectors = [
    columns.left.map((at) => vectorAt(left, at)),
    columns.right.map((at) => vectorAt(right, at)),
  ] as const;
  return pairsOf(matchesOf(codes, vectors), how, "join()");
}

function crossed(lefts: number, rights: number): Pairs {
  refuseTooManyRows(lefts * rights, "join()");
  const left = new Int32Array(lefts * rights);
  const right = new Int32Array(lefts * rights);
  for (let i = 0; i < left.length; i++) {
    left[i] = Math.floor(i / rights);
    right[i] = i % rights;
  }
  return { left, right: picksOf(right, rights), rightIsUnique: false };
}

/** The key columns where rows of the right table alone are among the result: from whichever table has the row. */
function keyVectors(
  left: Table,
  right: Table,
  columns: KeyColumns,
  { left: lefts, right: rights }: Pairs,
  how: JoinKind,
): ReadonlyMap<number, Vector> {
  if (lefts === undefined || (how !== "right" && how !== "outer")) return new Map();
  const others = rights.rows();
  const rows = lefts.map((row, i) => (row === -1 ? left.numRows + others[i] : row));
  const { vectors } = keysOf([left, right], [columns.left, columns.right]);
  return new Map(columns.left.map((at, k) => [at, takeVector(joinedKey(vectors[k]), rows)]));
}

function withKeys(
  base: Table,
  keys: ReadonlyMap<number, Vector>,
  names: readonly string[],
  added: readonly Pieces[],
): Table {
  if (keys.size === 0 && names.every((name, at) => name === base.schema.fields[at].name)) {
    return withColumns(base, new Map(), added);
  }
  const vectors = base.schema.fields.map((_, at) => keys.get(at) ?? vectorAt(base, at));
  const fields = base.schema.fields.map((field, at) =>
    renamed(fieldAs(field, vectors[at].type), names[at]).clone({ type: vectors[at].type, nullable: true }),
  );
  const schema = new Schema([...fields, ...added.map(({ field }) => field)], base.schema.metadata);
  return tableOfVectors(schema, [...vectors, ...added.map(({ pieces }) => new Vector(pieces))], base.numRows);
}

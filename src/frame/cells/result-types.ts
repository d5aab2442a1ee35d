import type { AggregateOption } from "../../series/track/aggregate.js";
import type { AnyRow, Flat } from "./row-types.js";
import type { Cell } from "./rows.js";

// The row types of verbs that change columns. Names that are not literals give `AnyRow` or a string index.

/** The type of a value under a name that is not a column: messages of the compiler show the name and the columns. */
interface NoSuchColumn<Misspelt, Columns extends string> {
  readonly " is not one of": (misspelt: Misspelt) => Columns;
}

/**
 * An object whose names must be columns: a misspelt one does not compile, even beside right ones. Names that only the
 * running code has may be columns.
 */
export type NoOthers<Given, Columns extends string> = string extends keyof Given
  ? unknown
  : { readonly [K in Exclude<keyof Given, Columns>]: NoSuchColumn<K, Columns> };

/** As {@link NoOthers}, for aggregates: a name that is not a column has a column and its aggregate. */
export type NamedOrColumns<Given, Columns extends string> = string extends keyof Given
  ? unknown
  : {
      readonly [K in Exclude<keyof Given, Columns>]: Given[K] extends readonly [string, unknown]
        ? readonly [Columns, AggregateOption["name"]]
        : NoSuchColumn<K, Columns>;
    };

/** Names in an option: one or several. */
type NamesIn<Option> = Option extends string ? Option : Option extends readonly (infer Name)[] ? Name : never;

/** The type of an option that is not passed. Without strict checks, as in cells, `undefined` extends every type. */
type NotPassed = false;

type OptionOf<Options, Name extends string> = Options extends { readonly [K in Name]: infer Value } ? Value : NotPassed;

/** The type of an aggregate of a column. */
type Reduced<Value, How> = How extends "count" | "nunique"
  ? number
  : How extends "list"
    ? string
    : How extends "sum"
      ? (Extract<Value, bigint> extends never ? number : number | bigint) | null
      : How extends "min" | "max" | "first" | "last"
        ? Value | null
        : number | null;

/** The end of the name of one of several aggregates of a column: `mean`, `q0.9`. */
type HowName<How> = How extends string
  ? How
  : How extends { readonly quantile: infer Q extends number }
    ? `q${Q}`
    : never;

/** The columns with several aggregates, as pairs of a column and an aggregate. */
type Pairs<Row, Wanted> = {
  [K in keyof Wanted]: IsNamed<Row, K, Wanted[K]> extends true
    ? never
    : Wanted[K] extends readonly (infer How)[]
      ? How extends unknown
        ? { readonly column: K; readonly how: How }
        : never
      : never;
}[keyof Wanted];

/** Whether the two items are a column and its aggregate, not two aggregates of a column. */
type IsNamed<Row, K, How> = How extends readonly [infer First extends string, unknown]
  ? First extends AggregateOption["name"]
    ? K extends keyof Row
      ? false
      : true
    : true
  : false;

/** The cells of a column by its name. */
type CellsIn<Row, Name> = Name extends keyof Row ? Row[Name] : Cell;

type Pair = { readonly column: PropertyKey; readonly how: unknown };

/** The row type after `groupBy().agg()`. */
export type Aggregated<Row, Key extends keyof Row, Wanted> = Flat<
  Pick<Row, Key> & {
    -readonly [K in keyof Wanted as Wanted[K] extends readonly unknown[] ? never : K]-?: Reduced<
      K extends keyof Row ? Row[K] : Cell,
      Wanted[K]
    >;
  } & {
    -readonly [K in keyof Wanted as IsNamed<Row, K, Wanted[K]> extends true ? K : never]-?: Wanted[K] extends readonly [
      infer Name,
      infer How,
    ]
      ? Reduced<CellsIn<Row, Name>, How>
      : never;
  } & {
    [P in Extract<Pairs<Row, Wanted>, Pair> as `${P["column"] & string}_${HowName<P["how"]>}`]: Reduced<
      P["column"] extends keyof Row ? Row[P["column"]] : Cell,
      P["how"]
    >;
  }
>;

/** The row type after `groupBy().with()`. */
export type WithinAdded<Row, Added> = Flat<
  Omit<Row, keyof Added> & {
    -readonly [K in keyof Added]: Added[K] extends readonly [infer Name, infer How]
      ? How extends "shift" | "cummax" | "cummin" | { readonly shift: number }
        ? CellsIn<Row, Name> | null
        : Reduced<CellsIn<Row, Name>, How extends "cumsum" ? "sum" : How>
      : Cell;
  }
>;

/** The row type after `groupBy().count()` and `valueCounts()`. */
export type Counted<Row, Key extends keyof Row> = Flat<Pick<Row, Key> & { count: number }>;

/** The row type after `pivot()`: the columns of the index, and others whose names are values. */
export type Pivoted<Row, Options> = Pick<Row, NamesIn<OptionOf<Options, "index">> & keyof Row> & AnyRow;

/** The row type after `unpivot()`. */
export type Unpivoted<Row, Options> = Flat<
  Pick<Row, NamesIn<OptionOf<Options, "index">> & keyof Row> & {
    [K in Or<OptionOf<Options, "columns">, "variable">]: string;
  } & {
    [K in Or<OptionOf<Options, "values">, "value">]: CellsOf<
      Row,
      OptionOf<Options, "of"> extends NotPassed
        ? Exclude<keyof Row, NamesIn<OptionOf<Options, "index">>>
        : NamesIn<OptionOf<Options, "of">>
    >;
  }
>;

/** The cells of some columns, and null. */
type CellsOf<Row, Names> = [Names & keyof Row] extends [never] ? Cell : Row[Names & keyof Row] | null;

type Or<Option, Default extends string> = Option extends string ? Option : Default;

/** The row type after `describe()`. */
export type Described<Name extends string> = Flat<{ statistic: string } & { [K in Name]: number | null }>;

/** A row of `info()`. */
export type ColumnInfo = {
  column: string;
  type: string;
  values: number;
  nulls: number;
};

/** The row type after `asof()`: columns that both frames have come with the suffix too. */
export type AsofJoined<Row, Other, Suffix extends string> = Row &
  Partial<Other> & { [K in keyof Row & keyof Other & string as `${K}${Suffix}`]?: Other[K] };

/** The row type after `join()`; with suffixes other than the default ones, unknown columns besides. */
export type Joined<Row, Other, Options> =
  OptionOf<Options, "how"> extends infer How
    ? How extends "semi" | "anti"
      ? Row
      : OptionOf<Options, "suffixes"> extends NotPassed
        ? Flat<Paired<Row, Other, NamesIn<OptionOf<Options, "on">> | NamesIn<OptionOf<Options, "rightOn">>, How>>
        : Paired<Row, Other, never, How> & AnyRow
    : never;

type Paired<Row, Other, Key, How> = (How extends "right" | "outer" ? Nullable<Row> : Row) &
  (How extends "left" | "outer" ? Nullable<Beside<Row, Other, Key>> : Beside<Row, Other, Key>);

/** The columns of the other frame but its key; those that both have under names of their own as well. */
type Beside<Row, Other, Key> = Omit<Other, Key & keyof Other> & {
  [K in Exclude<keyof Other, Key> & keyof Row & string as `${K}_right`]: Other[K];
};

type Nullable<Row> = { [K in keyof Row]: Row[K] | null };

/** The row types of frames in an array of known length. */
type RowsIn<Frames> = Frames extends readonly [infer First, ...infer Rest] ? [RowIn<First>, ...RowsIn<Rest>] : [];
type RowIn<Given> = Given extends { rows(): Iterable<infer Row> } ? Row : AnyRow;

/**
 * The row type after `align()` of an array of known length. A name that several frames have is a key if `on` names it,
 * else it has a suffix for each frame; without `on`, it may be either. Suffixes other than the default ones are not
 * followed.
 */
export type Aligned<Frames, Options> = Extract<AlignedOf<Frames, Options>, object>;

type AlignedOf<Frames, Options> = number extends (Frames & readonly unknown[])["length"]
  ? AnyRow
  : OptionOf<Options, "suffixes"> extends NotPassed
    ? AlignedRows<RowsIn<Frames>, NamesIn<OptionOf<Options, "on">>, OptionOf<Options, "how">>
    : AnyRow;

type AlignedRows<Rows, On, How> =
  string extends KeysOf<Rows>
    ? AnyRow
    : Flat<KeysMerged<Rows, [On] extends [never] ? Shared<Rows> : On> & ValuesMerged<Rows, Shared<Rows>, On, How>>;

type KeysOf<Rows> = Rows extends readonly [infer First, ...infer Rest] ? (keyof First & string) | KeysOf<Rest> : never;

/** The names that occur in several rows. */
type Shared<Rows> = Rows extends readonly [infer First, ...infer Rest]
  ? (keyof First & KeysOf<Rest> & string) | Shared<Rest>
  : never;

/** The key columns, as in the first row. */
type KeysMerged<Rows, On> = Rows extends readonly [infer First, ...unknown[]]
  ? { [K in keyof First & On]: First[K] }
  : object;

/** The other columns; `At` has as many elements as the number of the first row. */
type ValuesMerged<Rows, Repeated, On, How, At extends readonly unknown[] = [unknown]> = Rows extends readonly [
  infer First,
  ...infer Rest,
]
  ? {
      [K in Exclude<keyof First & string, On> as K extends Repeated ? `${K}_${At["length"]}` : K]: How extends "inner"
        ? First[K]
        : How extends "left"
          ? At["length"] extends 1
            ? First[K]
            : First[K] | null
          : First[K] | null;
    } & ValuesMerged<Rest, Repeated, On, How, [...At, unknown]>
  : object;

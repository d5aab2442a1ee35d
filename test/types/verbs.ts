// Row types through every verb. Compiled by `npm run types`, and against the packed declarations by TypeScript 5.0, 5.6
// and 6 (test/project/package-types.long.test.ts); never run.
import { type Cell, type Column, coalesce, Frame, when } from "../../src/index.js";

type Expect<Right extends true> = Right;
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type RowOf<F> = F extends Frame<infer Row> ? Row : never;

interface Price {
  ticker: string;
  date: string;
  close: number | null;
  volume: number | bigint;
}
interface Name {
  ticker: string;
  name: string | null;
}

export function verbs(prices: Frame<Price>, names: Frame<Name>, any: Frame) {
  const select = prices.select("date", "close");
  const drop = prices.drop("volume", "ticker");
  const rename = prices.rename({ close: "last" });
  const made = prices.with({ value: prices.column("close").mul(2), vendor: "A", close: "1.5" });
  const agg = prices
    .groupBy("ticker")
    .agg({ close: "mean", volume: ["sum", "max", "nunique", { quantile: 0.9 }], date: "last" });
  const named = prices.groupBy("ticker").agg({ top: ["close", "max"], volume: ["sum", "max"], n: ["date", "count"] });
  const within = prices
    .groupBy("ticker")
    .with({ share: ["close", "share"], before: ["date", "shift"], close: ["close", "max"] });
  const several = prices.groupBy(["ticker", "date"]).agg({ close: "list" });
  const count = prices.groupBy("ticker", "date").count();
  const head = prices.sort("date").groupBy("ticker").head(2);
  const counts = prices.valueCounts("ticker");
  const pivot = prices.pivot({ index: "date", columns: "ticker", values: "close" });
  const unpivot = prices.unpivot({ index: "ticker", of: ["close", "volume"], columns: "field", values: "cell" });
  const bare = prices.select("date", "close").unpivot({ index: "date" });
  const inner = prices.join(names, { on: "ticker" });
  const left = prices.join(names, { on: "ticker", how: "left" });
  const semi = prices.join(names, { on: "ticker", how: "semi" });
  const aligned = Frame.align([select, prices.select("date", "close", "volume")], { on: "date" });
  const onKey = Frame.align([prices.select("date", "close"), prices.select("date", "volume")], {
    on: ["date"],
    how: "inner",
  });
  const concat = Frame.concat([prices, prices.filter((row) => row.close !== null)]);
  const described = prices.describe("close", "volume");
  const info = prices.info();
  const column = prices.column("close");
  const level = when(prices.column("close").gt(10)).then("high").otherwise("low");
  const filled = coalesce(prices.column("close"), 0);
  const split = names.column("name").split(" ", 0);
  const columns = Frame.fromColumns({ day: ["2024-02-29"], close: [1.5, null], vendor: "A" });
  type Types = [
    Expect<Equal<RowOf<typeof select>, { date: string; close: number | null }>>,
    Expect<Equal<RowOf<typeof drop>, { date: string; close: number | null }>>,
    Expect<Equal<RowOf<typeof rename>, { ticker: string; date: string; last: number | null; volume: number | bigint }>>,
    Expect<
      Equal<
        RowOf<typeof made>,
        { ticker: string; date: string; volume: number | bigint; value: number | null; vendor: string; close: string }
      >
    >,
    Expect<
      Equal<
        RowOf<typeof agg>,
        {
          ticker: string;
          close: number | null;
          date: string | null;
          volume_sum: number | bigint | null;
          volume_max: number | bigint | null;
          volume_nunique: number;
          "volume_q0.9": number | null;
        }
      >
    >,
    Expect<
      Equal<
        RowOf<typeof named>,
        {
          ticker: string;
          top: number | null;
          n: number;
          volume_sum: number | bigint | null;
          volume_max: number | bigint | null;
        }
      >
    >,
    Expect<
      Equal<
        RowOf<typeof within>,
        {
          ticker: string;
          date: string;
          volume: number | bigint;
          share: number | null;
          before: string | null;
          close: number | null;
        }
      >
    >,
    Expect<Equal<RowOf<typeof several>, { ticker: string; date: string; close: string }>>,
    Expect<Equal<RowOf<typeof count>, { ticker: string; date: string; count: number }>>,
    Expect<Equal<RowOf<typeof head>, Price>>,
    Expect<Equal<RowOf<typeof counts>, { ticker: string; count: number }>>,
    Expect<Equal<RowOf<typeof unpivot>, { ticker: string; field: string; cell: number | bigint | null }>>,
    Expect<Equal<RowOf<typeof bare>, { date: string; variable: string; value: number | null }>>,
    Expect<
      Equal<
        RowOf<typeof inner>,
        { ticker: string; date: string; close: number | null; volume: number | bigint; name: string | null }
      >
    >,
    Expect<Equal<RowOf<typeof left>, RowOf<typeof inner>>>,
    Expect<Equal<RowOf<typeof semi>, Price>>,
    Expect<
      Equal<
        RowOf<typeof aligned>,
        { date: string; close_1: number | null; close_2: number | null; volume: number | bigint | null }
      >
    >,
    Expect<Equal<RowOf<typeof onKey>, { date: string; close: number | null; volume: number | bigint }>>,
    Expect<Equal<RowOf<typeof concat>, Price>>,
    Expect<Equal<RowOf<typeof described>, { statistic: string; close: number | null; volume: number | null }>>,
    Expect<Equal<RowOf<typeof info>, { column: string; type: string; values: number; nulls: number }>>,
    Expect<Equal<typeof column, Column<number | null>>>,
    Expect<Equal<typeof level, Column<"high" | "low">>>,
    Expect<Equal<typeof filled, Column<number>>>,
    Expect<Equal<typeof split, Column<string | null>>>,
    Expect<Equal<RowOf<typeof columns>, { day: string; close: number | null; vendor: string }>>,
  ];
  const date: Column<string> = pivot.column("date");
  const cell: Column<Cell> = pivot.column("AAA");
  // A frame of unknown columns keeps any name through every verb.
  const untyped: Column<Cell> = any
    .groupBy("a")
    .agg({ b: "max" })
    .pivot({ index: "a", columns: "a", values: "b" })
    .column("d");
  return { date, cell, untyped, types: null as unknown as Types };
}

/** A misspelt column does not compile after any chain. */
export function misspelt(prices: Frame<Price>, names: Frame<Name>): void {
  // @ts-expect-error
  prices.select("date").column("close");
  // @ts-expect-error
  prices.drop("close").select("close");
  // @ts-expect-error
  prices.rename({ close: "last", clsoe: "x" });
  // @ts-expect-error
  prices.rename({ close: "last" }).column("close");
  // @ts-expect-error
  prices.with({ value: 1 }).column("vlaue");
  // @ts-expect-error
  prices.column("close").lower();
  // @ts-expect-error
  prices.column("ticker").sqrt();
  // @ts-expect-error
  prices.column("volume").addDays(1);
  // @ts-expect-error
  prices.groupBy("tickr");
  // @ts-expect-error
  prices.groupBy("ticker").agg({ close: "mean", clsoe: "max" });
  // @ts-expect-error
  prices.groupBy("ticker").agg({ close: "maen" });
  // @ts-expect-error
  prices.groupBy("ticker").agg({ top: ["clsoe", "max"] });
  // @ts-expect-error
  prices.groupBy("ticker").with({ top: ["clsoe", "rank"] });
  // @ts-expect-error
  prices.groupBy("ticker").with({ top: ["close", "rnak"] });
  const both = prices.groupBy("ticker").agg({ close: ["mean", "max"] });
  // @ts-expect-error
  both.column("close");
  // @ts-expect-error
  prices.groupBy("ticker").agg({ close: "mean" }).sort("date");
  // @ts-expect-error
  prices.groupBy("ticker").count().column("counts");
  // @ts-expect-error
  prices.valueCounts("ticker").filter((row) => row.cuont > 1);
  // @ts-expect-error
  prices.pivot({ index: "dtae", columns: "ticker", values: "close" });
  // @ts-expect-error
  prices.unpivot({ index: "date" }).column("vlaue");
  // @ts-expect-error
  prices.join(names, { on: "name" });
  // @ts-expect-error
  prices.join(names, { on: "ticker" }).column("nmae");
  // @ts-expect-error
  Frame.align([prices, names], { on: "ticker" }).column("nmae");
  // @ts-expect-error
  Frame.align([prices, prices]).column("close_3");
  // @ts-expect-error
  Frame.concat([prices, prices]).column("clsoe");
  // @ts-expect-error
  prices.describe("close").column("volume");
  // @ts-expect-error
  prices.cast({ clsoe: "double" });
  // @ts-expect-error
  prices.dropNulls("clsoe");
  // @ts-expect-error
  prices.sort(["clsoe", "desc"]);
  // @ts-expect-error
  prices.rolling(20, "mean", { columns: "clsoe" });
  // @ts-expect-error
  prices.filter((row) => row.clsoe !== null);
  // @ts-expect-error
  prices.take([1]).head(3).sample(2).slice(1).tail(1).column("clsoe");
  // @ts-expect-error
  prices.sample({ fraction: 0.1 }, { seed: 1 }).column("clsoe");
  // @ts-expect-error
  prices.sample({ frac: 0.1 });
}

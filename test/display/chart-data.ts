import { compile } from "vega-lite";
import { expect } from "vitest";
import type { Chart } from "../../src/display/chart/chart.js";
import { interactive } from "../../src/display/chart/interactive.js";
import { inPageColors } from "../../src/display/chart/page-colors.js";
import { Frame } from "../../src/frame/frame.js";

export type Datum = Readonly<Record<string, string | number | boolean | null>>;

interface ChannelSpec {
  readonly field?: string;
  readonly type?: string;
  readonly title?: string | null;
  readonly scale?: Readonly<Record<string, unknown>>;
  readonly axis?: Readonly<Record<string, unknown>> | null;
}

interface Unit {
  readonly mark?: Readonly<Record<string, unknown>>;
  readonly encoding?: Readonly<Record<string, ChannelSpec>>;
  readonly layer?: readonly Unit[];
  readonly resolve?: object;
  readonly transform?: readonly object[];
}

export interface Spec extends Unit {
  readonly title: { readonly text: string; readonly subtitle?: readonly string[] };
  readonly data: { readonly values: readonly Datum[] };
  readonly params?: readonly { readonly name: string; readonly value: readonly number[] }[];
  readonly facet?: object;
  readonly columns?: number;
  readonly spec?: Unit & { readonly width: number; readonly height: number };
  readonly width?: number;
  readonly height?: number;
}

/** The specification of a chart, which the compiler of Vega-Lite accepts without a warning, also in a notebook. */
export function specOf(chart: Chart): Spec {
  for (const spec of [chart.spec, inPageColors(interactive(chart.spec))]) {
    const warnings: unknown[] = [];
    const logger = { warn: add, info: add, debug: add, error: add, level: () => logger };
    function add(...texts: unknown[]) {
      warnings.push(...texts);
      return logger;
    }
    compile(structuredClone(spec) as never, { logger: logger as never });
    expect(warnings).toEqual([]);
  }
  return chart.spec as unknown as Spec;
}

/** Workdays from 2024-01-01 on: 1 is a Monday. */
export function workdays(count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    new Date(Date.UTC(2024, 0, 1 + 7 * Math.floor(i / 5) + (i % 5))).toISOString().slice(0, 10),
  );
}

/** Seeded prices of tickers on workdays, in the order of the dates. */
export function market(tickers: readonly string[], days: number) {
  let seed = 7;
  const random = (): number => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return seed / 4_294_967_296;
  };
  const closes = tickers.map((_, i) => 50 + 100 * i);
  const rows = workdays(days).flatMap((date) =>
    tickers.map((ticker, i) => {
      const open = closes[i];
      const close = open * (1 + (random() - 0.5) * 0.04);
      closes[i] = close;
      const [high, low] = [Math.max(open, close) * 1.01, Math.min(open, close) * 0.99];
      return { ticker, date, open, high, low, close, ret: close / open - 1, volume: Math.round(1e6 * (1 + random())) };
    }),
  );
  const doubles = ["open", "high", "low", "close", "ret"].map((name) => ({ name, type: "double" }));
  return Frame.fromRows(rows, [
    { name: "ticker", type: "String" },
    { name: "date", type: "Date" },
    ...doubles,
    { name: "volume", type: "Integer" },
  ]);
}

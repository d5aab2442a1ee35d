import { Field, Float64, type Table, type Vector } from "../../columns/arrow/arrow.js";
import { vectorToNumbers } from "../../columns/arrow/vector-values.js";
import { takeVector } from "../../columns/table/take.js";
import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { type KeyFigures, keyFigures, periodsOf } from "../../series/core/key-figures.js";
import { doubleColumn } from "../../series/core/numbers.js";
import { periodReturns, type Wealth, wealthOf } from "../../series/core/returns.js";
import { tableOf } from "../../series/core/tables.js";
import { textColumn } from "../../series/describe.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { grouped } from "../base/number-text.js";
import { Chart } from "./chart.js";
import { chooseColumns } from "./choose.js";
import { requireDates } from "./marks/months.js";
import type { ChartSpec, PlotOptions } from "./options.js";
import { drawable, nameOf } from "./parts/channel.js";
import { planChart } from "./spec.js";

/** Which series a tear sheet shows, and how its figures are computed. */
export interface TearSheetOptions<Name extends string = string> {
  /** Default: the first date. */
  readonly x?: Name;
  /** Prices, or returns. Default: the first number column. */
  readonly y?: Name;
  /** `y` holds simple returns, such as 0.01. Default: for relative changes of the query or of `transform`. */
  readonly returns?: boolean;
  /** The number of returns in a year. Default by the dates: 252 for days (365 with weekends), 52, 12, 4 or 1. */
  readonly periods?: number;
  /** The risk-free rate per year; default 0. */
  readonly riskFree?: number;
  /** Default: the column and its source. */
  readonly title?: string;
}

/** The pictures of a return series on one page, and its key figures. */
export class TearSheet extends Chart {
  /** The numbers beside the pictures. */
  readonly figures: KeyFigures;

  constructor(spec: ChartSpec, text: string, figures: KeyFigures) {
    super({ spec, text, values: [] });
    this.figures = figures;
  }
}

/**
 * One series on one page: cumulative return, drawdown, returns by month and year, distribution, key figures.
 *
 * @throws {InputError} UnknownColumn, UnknownOption, WrongType, BadArgument, RepeatedDate, NothingToPlot
 */
export function tearSheet(table: Table, options: TearSheetOptions = {}, source?: FrameSource): TearSheet {
  refuseUnknown(options, ["x", "y", "returns", "periods", "riskFree", "title"], "tearSheet()");
  checkNumbers(options);
  const { x, y, returns } = options;
  const months: PlotOptions = { x, y, returns, mark: "months", labels: true, width: WIDTH };
  const { choice } = chooseColumns(table, months, source);
  requireDates(choice.x);
  const dates = choice.x.vector;
  const values = vectorToNumbers(choice.y[0].vector);
  const series = wealthOf({ dates: vectorToNumbers(dates), values, returns: choice.returns });
  refuseRepeats(series);
  const figures = keyFigures(series, options.periods ?? periodsOf(series), options.riskFree ?? 0);
  const title = options.title ?? defaultTitle(nameOf(choice.y[0]), source);
  const range = `${figures.from} to ${figures.to} · ${grouped(figures.returns)} returns, ${figures.periods} a year`;
  const whole = planChart(table, { ...months, title }, source).spec;
  const spec = {
    ...Object.fromEntries(["$schema", "padding", "config"].map((name) => [name, whole[name]])),
    description: drawable(`tear sheet · ${title} · ${range}`, 400),
    title: { text: drawable(title, 160), subtitle: [range], anchor: "start", offset: 16 },
    vconcat: viewsOf(series, dates, figures, viewOf(whole, "returns by month")),
  };
  return new TearSheet(spec, `tear sheet · ${title} · ${range}`, figures);
}

/** The views of the page from top to bottom. */
function viewsOf(series: Wealth, dates: Vector, figures: KeyFigures, months: ChartSpec): readonly object[] {
  const { data, type } = takeVector(dates, Int32Array.from(series.rows));
  const date = { field: new Field("date", type, true), data: data[0] };
  const growth = double(
    "cumulative return",
    series.wealth.map((value) => value - 1),
  );
  const each = tableOf([date, growth, double("return", series.returns)], series.rows.length);
  const half = { y: "return", percent: true, width: HALF, height: 150 };
  const panel = (table: Table, options: PlotOptions, title: string): ChartSpec =>
    viewOf(planChart(table, options, undefined).spec, title);
  const overTime = [
    panel(each, { y: "cumulative return", percent: true, width: LEFT, height: 190 }, "cumulative return"),
    panel(each, { y: "return", mark: "drawdown", returns: true, width: LEFT, height: 90 }, "drawdown"),
  ];
  const distribution = panel(
    each,
    { ...half, x: "return", y: undefined, mark: "histogram" },
    "distribution of returns",
  );
  const years = panel(yearsOf(series), { ...half, x: "year", mark: "bar" }, "returns by year");
  return [
    { hconcat: [{ vconcat: overTime }, figuresView(figures)], spacing: SPACE },
    months,
    { hconcat: [distribution, years], spacing: SPACE },
  ];
}

/** Widths in pixels: of the page, of its left part beside the figures, and of two pictures side by side. */
const WIDTH = 820;
const LEFT = 570;
const HALF = 370;
const SPACE = 40;

const double = (name: string, values: Float64Array) => doubleColumn(new Field(name, new Float64(), true), values);

function yearsOf(series: Wealth): Table {
  const years = periodReturns(series, 4);
  const returns = Float64Array.from(years, ({ value }) => value);
  return tableOf(
    [
      textColumn(
        "year",
        years.map(({ period }) => period),
      ),
      double("return", returns),
    ],
    years.length,
  );
}

/** A chart as one view of the page, whose title says what its axes are. */
function viewOf(spec: ChartSpec, title: string): ChartSpec {
  const { $schema: _, description: __, padding: ___, config: ____, ...view } = spec;
  const encoding = view["encoding"] as Readonly<Record<string, object>>;
  const untitled = { x: { ...encoding["x"], title: null }, y: { ...encoding["y"], title: null } };
  const head = { text: title, anchor: "start", fontSize: 12, offset: 6 };
  return { ...view, title: head, encoding: { ...encoding, ...untitled } };
}

/** The key figures as lines of text. */
function figuresView(figures: KeyFigures): ChartSpec {
  const percent = (value: number): string => `${(100 * value).toFixed(1).replace("-", "−")}%`;
  const ratio = (value: number): string => value.toFixed(2).replace("-", "−");
  const lines = [
    ["Total return", percent(figures.totalReturn)],
    ["Per year (CAGR)", percent(figures.cagr)],
    ["Volatility", percent(figures.volatility)],
    ["Sharpe ratio", ratio(figures.sharpe)],
    ["Sortino ratio", ratio(figures.sortino)],
    ["Largest drawdown", percent(figures.maxDrawdown)],
    ["Best month", percent(figures.bestMonth)],
    ["Worst month", percent(figures.worstMonth)],
    ["Positive months", percent(figures.positiveMonths)],
  ];
  const width = 190;
  const column = (field: string, look: object): object => ({
    mark: { type: "text", fontSize: 12, ...look },
    encoding: { text: { field, type: "nominal" } },
  });
  return {
    width,
    height: { step: 24 },
    title: { text: "key figures", anchor: "start", fontSize: 12, offset: 6 },
    data: { values: lines.map(([name, value], line) => ({ name, value, line })) },
    encoding: { y: { field: "line", type: "ordinal", axis: null } },
    layer: [column("name", { align: "left", x: 0 }), column("value", { align: "right", x: width, fontWeight: "bold" })],
  };
}

function defaultTitle(name: string, source: FrameSource | undefined): string {
  const place = source === undefined || source.computed ? undefined : (source.name ?? source.code);
  return place === undefined ? name : `${place}: ${name}`;
}

function checkNumbers({ periods, riskFree, title }: TearSheetOptions): void {
  const refuse = (name: string, value: unknown, hint: string): never => {
    throw new InputError(`tearSheet() cannot use ${shown(value)} as ${name}.`, { code: "BadArgument", hint });
  };
  if (periods !== undefined && !(Number.isFinite(periods) && periods > 0))
    refuse("periods", periods, "Pass the number of returns in a year, such as 252.");
  if (riskFree !== undefined && !Number.isFinite(riskFree))
    refuse("riskFree", riskFree, "Pass a rate per year, such as 0.02.");
  if (title !== undefined && typeof title !== "string") refuse("title", title, "Give a text.");
}

/** @throws {InputError} RepeatedDate for several series, NothingToPlot without a return */
function refuseRepeats({ dates, returns }: Wealth): void {
  if (returns.every((value) => Number.isNaN(value))) {
    throw new InputError("tearSheet() expects two prices or one return at least.", {
      code: "NothingToPlot",
      hint: "Pass the columns: tearSheet({ x: …, y: … }).",
    });
  }
  const at = dates.findIndex((date, i) => date === dates[i - 1]);
  if (at === -1) return;
  throw new InputError(`tearSheet() expects one series; ${new Date(dates[at]).toISOString().slice(0, 10)} repeats.`, {
    code: "RepeatedDate",
    hint: 'Filter to one series first: frame.filter(frame.column("ticker").eq("AAA")).',
  });
}

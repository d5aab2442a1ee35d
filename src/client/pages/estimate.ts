import { grouped } from "../../display/base/number-text.js";
import type { DatasetMetadata, TableMetadata } from "../../document/records.js";
import type { Filter } from "../../spec/endpoints.js";
import { civil, NO_DATE, parseDate } from "../../value/date.js";
import type { EarlierRun } from "../cache/runs-on-disk.js";

/** How large a result is expected to be, and why. */
export interface Estimate {
  readonly value: number;
  /** `most`: not more, as far as the metadata is right; `about`: as it was before. */
  readonly bound: "most" | "about";
  /** What it is taken from, such as `the key: 2 values of ticker × 366 days of date`. */
  readonly from: string;
}

/** The first of an earlier run and the bounds; a bound that is below the run is better. */
export function rowsOf(run: EarlierRun | undefined, bounds: readonly (Estimate | undefined)[]): Estimate | null {
  const known = bounds.filter((bound): bound is Estimate => bound !== undefined);
  const least = known.reduce<Estimate | null>((a, b) => (a === null || b.value < a.value ? b : a), null);
  if (run?.rows === undefined || (least !== null && least.value < run.rows)) return least;
  return { value: run.rows, bound: "about", from: earlier(run) };
}

export const bytesOf = (run: EarlierRun | undefined): Estimate | null =>
  run === undefined
    ? null
    : {
        value: run.bytes,
        bound: "about",
        from: run.rows === undefined ? `the length of its file on ${run.at.slice(0, 10)}` : earlier(run),
      };

const earlier = ({ at }: EarlierRun): string => `an earlier run of ${at.slice(0, 10)}`;

export const rowsOfLimit = (limit: number | undefined): Estimate | undefined =>
  limit === undefined ? undefined : { value: limit, bound: "most", from: `limit(${limit})` };

/** How many rows can meet filters that bound each column of the primary key; undefined for other filters. */
export function rowsOfKey(known: TableMetadata | undefined, filters: readonly Filter[]): Estimate | undefined {
  const key = known?.primary_key ?? [];
  const parts = key.map((name) => {
    const type = known?.columns.find((column) => column.name === name)?.type ?? "";
    return keyPart(
      type,
      filters.filter(({ column }) => column === name),
    );
  });
  if (parts.length === 0 || parts.some((part) => part === undefined)) return undefined;
  const counts = parts.map((part) => part?.count ?? 0);
  const texts = parts.map((part, i) => `${grouped(counts[i])} ${part?.what}${counts[i] === 1 ? "" : "s"} of ${key[i]}`);
  return { value: counts.reduce((a, b) => a * b, 1), bound: "most", from: `the key: ${texts.join(" × ")}` };
}

interface KeyPart {
  readonly count: number;
  readonly what: "value" | "day";
}

function keyPart(type: string, filters: readonly Filter[]): KeyPart | undefined {
  const lists = filters.filter(({ operator }) => operator === "eq").map(({ values }) => new Set(values).size);
  if (lists.length > 0) return { count: Math.min(...lists), what: "value" };
  const isDate = type.toLowerCase() === "date";
  if (!isDate && type.toLowerCase() !== "integer") return undefined;
  const read = (text: string): number => (isDate ? dayOf(text) : /^-?\d+$/.test(text) ? Number(text) : Number.NaN);
  const bound = (operators: Readonly<Record<string, number>>): number[] =>
    filters.flatMap(({ operator, values }) =>
      operator in operators ? values.map((value) => read(String(value)) + operators[operator]) : [],
    );
  const low = Math.max(...bound({ gte: 0, gt: 1 }));
  const high = Math.min(...bound({ lte: 0, lt: -1 }));
  const count = Math.max(0, high - low + 1);
  return Number.isSafeInteger(count) ? { count, what: isDate ? "day" : "value" } : undefined;
}

function dayOf(text: string): number {
  const day = parseDate(text);
  return day === NO_DATE ? Number.NaN : day;
}

/** The number of the period that a day is in; each period has at most one row. */
const PERIODS: Readonly<Record<string, (day: number) => number>> = {
  daily: (day) => day,
  // A week may begin on any day.
  weekly: (day) => Math.ceil(day / 7),
  monthly: (day) => civil(day).year * 12 + civil(day).month,
  quarterly: (day) => civil(day).year * 4 + Math.ceil(civil(day).month / 3),
  annual: (day) => civil(day).year,
};

/** How many rows a series can have, by its dates and frequency; undefined without metadata that has them. */
export function rowsOfDates(
  known: DatasetMetadata | undefined,
  { from, to, collapse }: { readonly from?: string; readonly to?: string; readonly collapse?: string },
): Estimate | undefined {
  const { oldest_available_date: oldest, newest_available_date: newest } = known ?? {};
  const frequency = collapse !== undefined && collapse !== "none" ? collapse : known?.frequency;
  const period = PERIODS[frequency ?? ""];
  if (!oldest || !newest || period === undefined) return undefined;
  // Dates as YYYY-MM-DD sort as text.
  const first = from !== undefined && from > oldest ? from : oldest;
  const last = to !== undefined && to < newest ? to : newest;
  const [low, high] = [dayOf(first), dayOf(last)];
  if (Number.isNaN(low + high)) return undefined;
  const extra = frequency === "weekly" ? 1 : 0;
  const value = high < low ? 0 : period(high) - period(low) + 1 + extra;
  return { value, bound: "most", from: `its dates: ${frequency}, ${first} to ${last}` };
}

import { type Card, showAsCard } from "../../display/base/card.js";
import { grouped, sizeText } from "../../display/base/number-text.js";
import { filterText } from "../../display/base/source-parts.js";
import type { Filter } from "../../spec/endpoints.js";
import type { Estimate } from "./estimate.js";

/** What a query will do, before it does it. Rendered as a card. */
export interface Plan {
  /** Code of what is requested. */
  readonly code: string;
  /** How the rows arrive: in one reply, by pages from cursor to cursor, or in a file that the service makes. */
  readonly by: "reply" | "pages" | "export";
  /** The first address of each part, without the key. */
  readonly addresses: readonly string[];
  /** Requests expected; `most` is null where only the replies decide. */
  readonly requests: { readonly least: number; readonly most: number | null };
  /** Rows that the service would send; null if nothing is known of them. */
  readonly rows: Estimate | null;
  /** Bytes of them as sent, or of the file of an export; null if nothing is known of them. */
  readonly bytes: Estimate | null;
  /** The most rows of one reply; null for an export and a time series. */
  readonly rowsPerReply: number | null;
  /** Conditions and calculations of the service. */
  readonly atService: readonly string[];
  /** Conditions applied here, to the rows that arrive. */
  readonly here: readonly string[];
  /** Columns of the result in order; null for all. */
  readonly columns: readonly string[] | null;
  /** What was checked before any row is requested. */
  readonly checks: readonly string[];
  /** Remarks on the plan, as sentences. */
  readonly notes: readonly string[];
}

export function shownPlan(plan: Plan): Plan {
  return showAsCard({ ...plan }, planCard);
}

const BY: Readonly<Record<Plan["by"], string>> = {
  reply: "one reply",
  pages: "pages, from cursor to cursor",
  export: "an export: one file, made by the service",
};

function planCard(plan: Plan): Card {
  const [first, ...more] = plan.addresses;
  const { least, most } = plan.requests;
  const count = most === least ? String(least) : most === null ? `${least} or more` : `${least} to ${most}`;
  const list = (items: readonly string[]): string | undefined => (items.length === 0 ? undefined : items.join("; "));
  return {
    title: `Plan of ${plan.code}`,
    entries: [
      ["rows by", BY[plan.by]],
      ["address", first],
      ...more.map((address, i) => [`part ${i + 2}`, address] as const),
      ["requests", plan.rowsPerReply === null ? count : `${count}, at most ${plan.rowsPerReply} rows each`],
      ["rows", shownEstimate(plan.rows, grouped)],
      ["size", shownEstimate(plan.bytes, sizeText)],
      ["at the service", list(plan.atService)],
      ["here", list(plan.here)],
      ["columns", plan.columns?.join(", ") ?? "all"],
      ["checked", list(plan.checks)],
      ...plan.notes.map((note) => ["note", note] as const),
    ],
  };
}

function shownEstimate(estimate: Estimate | null, text: (value: number) => string): string {
  if (estimate === null) return "unknown";
  return `${estimate.bound === "most" ? "at most" : "about"} ${text(estimate.value)}, from ${estimate.from}`;
}

const MAX_VALUES = 5;

export function filterTexts(filters: readonly Filter[]): string[] {
  return filters.map((filter) => {
    const { values } = filter;
    if (values.length <= MAX_VALUES) return filterText(filter);
    return `${filterText({ ...filter, values: values.slice(0, MAX_VALUES) })}, … (${values.length} values)`;
  });
}

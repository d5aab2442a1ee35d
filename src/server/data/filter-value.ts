import type { ServiceType, TypeKind } from "../../spec/columns.js";
import { NO_DATE, parseDate } from "../../value/date.js";
import { formatTimestamp, readTimestamp } from "../../value/timestamp.js";

/** How the value of a filter is read; decimals and integers are compared by their digits instead. */
interface FilterValue {
  /** The value as `Dialect.compare` expects it; undefined for text that is not of the type. */
  readonly read: (text: string) => string | undefined;
  /** The expected syntax, for messages. */
  readonly expects: string;
}

const TEXT: FilterValue = { read: (text) => text, expects: "text" };

const VALUES: Readonly<Record<Exclude<TypeKind, "decimal" | "integer">, FilterValue>> = {
  text: TEXT,
  unknown: TEXT,
  date: { read: (text) => (parseDate(text) === NO_DATE ? undefined : text), expects: "date YYYY-MM-DD" },
  datetime: { read: timestamp, expects: "timestamp such as 2025-01-02T06:00:00Z" },
  double: {
    read: (text) => {
      const number = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
      return Number.isFinite(number) ? String(number) : undefined;
    },
    expects: "number",
  },
  boolean: {
    read: (text) => (text === "true" || text === "false" ? text : undefined),
    expects: "value (true or false)",
  },
};

/** How values are compared with a column of a type: as what they are read as, or by their digits. */
export function filterValue({ kind, precision = 0, scale = 0 }: ServiceType): FilterValue | Digits {
  if (kind === "integer") return { precision: INTEGER_DIGITS, scale: 0 };
  return kind === "decimal" ? { precision, scale } : VALUES[kind];
}

/** The digits of a decimal or integer column. */
export interface Digits {
  readonly precision: number;
  readonly scale: number;
}

const INTEGER_DIGITS = 19;

/** A timestamp, or a date as its midnight in UTC. */
function timestamp(text: string): string | undefined {
  if (parseDate(text) !== NO_DATE) return `${text}T00:00:00`;
  const bytes = new TextEncoder().encode(text);
  const ms = readTimestamp(bytes, 0, bytes.length);
  return Number.isFinite(ms) ? formatTimestamp(ms).slice(0, -1) : undefined;
}

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Table } from "../../src/columns/arrow/arrow.js";
import { vectorToStrings } from "../../src/columns/arrow/vector-values.js";
import { tableFromIPCBytes } from "../../src/columns/ipc/read/read.js";
import { tableToIPCBytes } from "../../src/columns/ipc/stream.js";
import { DataError } from "../../src/errors/errors.js";
import { unscaledText } from "../../src/value/decimal.js";
import { formatNumber } from "../../src/value/number.js";
import { cases } from "../cases.js";

const gold = cases("arrow-gold");

interface TruthType {
  readonly name: string;
  readonly scale?: number;
  readonly unit?: string;
  readonly timezone?: string;
  readonly precision?: unknown;
  readonly bitWidth?: number;
}
interface TruthField {
  readonly name: string;
  readonly type: TruthType;
  readonly dictionary?: { readonly id: number };
}
interface TruthColumn {
  readonly VALIDITY?: readonly number[];
  readonly DATA?: readonly unknown[];
}
interface Truth {
  readonly schema: { readonly fields: readonly TruthField[] };
  readonly dictionaries?: readonly {
    readonly id: number;
    readonly data: { readonly columns: readonly TruthColumn[] };
  }[];
  readonly batches: readonly { readonly count: number; readonly columns: readonly TruthColumn[] }[];
}

const UNITS: Readonly<Record<string, bigint>> = {
  SECOND: 1n,
  MILLISECOND: 1_000n,
  MICROSECOND: 1_000_000n,
  NANOSECOND: 1_000_000_000n,
};

/** How our readers spell a value of the truth; undefined for types without a reader of their own. */
const speller = ({
  name,
  scale = 0,
  unit = "",
  timezone,
  precision,
}: TruthType): ((value: never) => string) | undefined => {
  switch (name) {
    case "bool":
    case "int":
      return (value: unknown) => String(value);
    case "utf8":
    case "largeutf8":
      return (value: unknown) => String(value);
    case "decimal":
      return (value: string) => unscaledText(value, scale);
    case "floatingpoint":
      // The truth of single precision is rounded to a few digits; those columns are compared as such below.
      return precision === "DOUBLE" ? (value: number) => formatNumber(value) : undefined;
    case "date":
      return (value: string | number) => {
        const days = unit === "DAY" ? Number(value) : Math.floor(Number(value) / 86_400_000);
        return new Date(days * 86_400_000).toISOString().slice(0, 10);
      };
    case "timestamp":
      return (value: string) => {
        const per = UNITS[unit];
        const rest = ((BigInt(value) % per) + per) % per;
        const seconds = Number((BigInt(value) - rest) / per);
        const width = per.toString().length - 1;
        const fraction =
          rest === 0n
            ? ""
            : `.${rest
                .toString()
                .padStart(width, "0")
                .replace(/(?:000)+$/, "")}`;
        return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${fraction}${timezone ? "Z" : ""}`;
      };
    default:
      return undefined;
  }
};

/** The texts of a column of the truth; undefined where there is no reader of its own to judge. */
const truthOf = (truth: Truth, at: number): (string | null)[] | undefined => {
  const field = truth.schema.fields[at];
  const spell = speller(field.type) as ((value: unknown) => string) | undefined;
  if (spell === undefined) return undefined;
  const dictionary = truth.dictionaries?.find(({ id }) => id === field.dictionary?.id)?.data.columns[0];
  return truth.batches.flatMap(({ columns }) =>
    (columns[at].DATA ?? []).map((value, i) => {
      if (columns[at].VALIDITY?.[i] === 0) return null;
      if (field.dictionary === undefined) return spell(value);
      const index = Number(value);
      return dictionary?.VALIDITY?.[index] === 0 ? null : spell(dictionary?.DATA?.[index]);
    }),
  );
};

const inYears = (texts: readonly (string | null)[]): boolean =>
  texts.every((text) => text === null || !/^[+-]\d{6}-/.test(text));

describe.runIf(existsSync(gold))("Arrow's own files", () => {
  const names = existsSync(gold)
    ? readdirSync(gold, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".stream"))
    : [];
  // Two layouts that the Arrow library does not know.
  const closed = /list_view|run_end_encoded/;
  // The layout of unions before Arrow 1.0, whose own null bits the library does not know.
  const misread = /^0\.17\.1/;
  let judged = 0;

  it.each(names.filter((name) => !closed.test(name) && !misread.test(name)))(
    "%s reads as its truth, as a stream and as a file, and written again",
    (name) => {
      const path = resolve(gold, name);
      const truth = JSON.parse(gunzipSync(readFileSync(path.replace(/stream$/, "json.gz"))).toString()) as Truth;
      const rows = truth.batches.reduce((sum, { count }) => sum + count, 0);
      const check = (table: Table): void => {
        expect(table.numRows).toBe(rows);
        expect(table.schema.fields.map((field) => field.name)).toEqual(truth.schema.fields.map((field) => field.name));
        truth.schema.fields.forEach((field, i) => {
          const expected = truthOf(truth, i);
          const column = table.getChildAt(i);
          if (column === null || rows === 0) return;
          const texts = vectorToStrings(column);
          if (expected === undefined || !inYears(texts)) return;
          judged++;
          expect([field.name, texts]).toEqual([field.name, expected]);
        });
      };
      const table = tableFromIPCBytes(readFileSync(path));
      check(table);
      check(tableFromIPCBytes(readFileSync(path.replace(/stream$/, "arrow_file"))));
      if (!/union|view|interval|month_day_nano/.test(name)) check(tableFromIPCBytes(tableToIPCBytes(table)));
    },
  );

  it("enough columns were judged, and what cannot be opened says so", () => {
    expect(judged).toBeGreaterThan(250);
    for (const name of names.filter((file) => closed.test(file))) {
      expect(() => tableFromIPCBytes(readFileSync(resolve(gold, name)))).toThrow(DataError);
    }
  });
});

it(`Arrow's own files are ${existsSync(gold) ? "at hand" : "not at hand"}`, () => {
  expect(typeof gold).toBe("string");
});

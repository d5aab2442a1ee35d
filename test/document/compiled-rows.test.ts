import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Dictionary,
  Float64,
  Int32,
  Int64,
  makeData,
  TimestampMicrosecond,
  TimestampNanosecond,
  TimestampSecond,
  Utf8,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { cellBatch } from "../../src/columns/arrow/cell-batch.js";
import type { CellBatch } from "../../src/document/cells/cell-batch.js";
import { compiledRows } from "../../src/document/cells/compiled-rows.js";
import { Output } from "../../src/document/cells/output.js";
import { writeRows } from "../../src/document/cells/row-bytes.js";
import { csvLines, jsonRows, type RowStyle, xmlRows } from "../../src/document/cells/row-style.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const DECLARED = [
  ...["String", "String", "Date", "DateTime", "DateTime", "DateTime"],
  ...["BigDecimal(15,4)", "BigDecimal(30,20)", "Integer", "Integer", "double", "Boolean"],
];
const COLUMNS = DECLARED.map((type, i) => ({ name: `c${i}`, type }));
const STYLES: Readonly<Record<string, RowStyle>> = {
  JSON: jsonRows(COLUMNS),
  CSV: csvLines(COLUMNS, true, true),
  XML: xmlRows(COLUMNS),
};

/** Values as a column with nulls. */
function nullable(type: DataType, data: unknown, values: readonly unknown[]): Data {
  const nullBitmap = new Uint8Array((values.length + 7) >> 3);
  values.forEach((v, i) => {
    if (v !== null) nullBitmap[i >> 3] |= 1 << (i & 7);
  });
  const nullCount = values.filter((v) => v === null).length;
  return makeData({ type, length: values.length, data, nullBitmap, nullCount } as never);
}

const decimal = (precision: number, scale: number, values: readonly (bigint | null)[], bits: number): Data => {
  const words = values.flatMap((v) =>
    Array.from({ length: bits / 32 }, (_, k) => Number(((v ?? 0n) >> BigInt(32 * k)) & 0xffff_ffffn)),
  );
  return nullable(new Decimal(scale, precision, bits), Uint32Array.from(words), values);
};

const int64 = (type: DataType, values: readonly (bigint | null)[]): Data =>
  nullable(
    type,
    BigInt64Array.from(values, (v) => v ?? 0n),
    values,
  );

type Row = ReturnType<typeof plainRow>;

/** A row whose cells the program writes. */
function plainRow(seed: number) {
  const n = Math.imul(seed + 1, 0x9e3779b1) | 0;
  return {
    word: `T<${(n >>> 0) % 40}>`,
    text: "plain text ".repeat((n >>> 0) % 5),
    day: (n % 700_000) | 0,
    time: BigInt(n) * 1_000n,
    price: BigInt(n),
    wide: BigInt(n) * 1_000_000_007n,
    whole: n,
    double: (n >> 8) / 64,
    truth: n % 2 === 0,
  };
}

const isNull = (i: number, k: number): boolean => (i * 7 + k * 3) % 11 === 0;

/** The columns of {@link COLUMNS}, of which every eleventh cell is null. */
function columns(rows: readonly Row[]): Data[] {
  const of = <K extends keyof Row>(key: K, k: number): (Row[K] | null)[] =>
    rows.map((row, i) => (isNull(i, k) ? null : row[key]));
  const times = of("time", 3);
  return [
    vectorFromArray(of("word", 0), new Dictionary(new Utf8(), new Int32())).data[0],
    vectorFromArray(of("text", 1), new Utf8()).data[0],
    makeData({ type: new DateDay(), length: rows.length, data: Int32Array.from(rows, ({ day }) => day) } as never),
    int64(
      new TimestampSecond(),
      times.map((v) => v && v / 1_000n),
    ),
    int64(new TimestampMicrosecond(), times),
    int64(new TimestampNanosecond(), times),
    decimal(15, 4, of("price", 6), 128),
    decimal(30, 20, of("wide", 7), 256),
    vectorFromArray(of("whole", 8), new Int32()).data[0],
    int64(new Int64(), of("price", 9)),
    vectorFromArray(of("double", 10), new Float64()).data[0],
    vectorFromArray(of("truth", 11), new Bool()).data[0],
  ];
}

function written(style: RowStyle, batches: readonly CellBatch[], least: number): string {
  const out = new Output(16);
  for (const _ of writeRows(style, batches, out, least));
  return Buffer.from(out.written()).toString();
}

describe.each(Object.entries(STYLES))("%s rows in WebAssembly", (_, style) => {
  it("every column whose cells are ordinary is written there, and as in JavaScript", () => {
    const rows = Array.from({ length: 3_000 }, (_, i) => plainRow(i));
    const batch = cellBatch(columns(rows), rows.length);
    const compiled = compiledRows(style, batch);
    const out = new Output(16);
    if (compiled === undefined) throw new Error("not compiled");
    for (let row = 0; row < rows.length; row += compiled.most) {
      expect(compiled.write(row, Math.min(rows.length, row + compiled.most), row === 0, out)).toBe(true);
    }
    expect(Buffer.from(out.written()).toString()).toBe(written(style, [batch], Number.POSITIVE_INFINITY));
    expect(compiled.most).toBeGreaterThan(200);
  });

  const odd = fc.record({
    at: fc.nat(599),
    change: fc.oneof(
      fc.record({ text: fc.constantFrom("", 'a "b"', "<&>", "é", "a,b", "line\n", "\u0001", "x".repeat(5_000)) }),
      fc.record({ word: fc.constantFrom("", "<", "\u0002", "ß".repeat(100)) }),
      fc.record({ day: fc.constantFrom(-719_528, -719_469, -719_468, -719_467, 2_932_896, 2_932_897, -800_000) }),
      fc.record({
        time: fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.constantFrom(-1n, -999n, 86_399_999_999n)),
      }),
      fc.record({ price: fc.bigInt(-(10n ** 14n), 10n ** 14n) }),
      fc.record({ wide: fc.bigInt(-(10n ** 29n), 10n ** 29n) }),
      fc.record({ whole: fc.constantFrom(0, -1, 2 ** 31 - 1, -(2 ** 31)) }),
      fc.record({ double: fc.oneof(fc.double(), fc.constantFrom(-0, 0.1, 1e15, 1e-7, 999999.999999, Number.NaN)) }),
    ),
  });

  it("rows with odd cells, slices of columns, and writers that take turns give the same as JavaScript", () => {
    forAll(
      runs(60),
      fc.array(odd, { maxLength: 12 }),
      fc.array(fc.tuple(fc.nat(599), fc.nat(599)), { minLength: 1, maxLength: 3 }),
      (odds, parts) => {
        const rows = Array.from({ length: 600 }, (_, i) => plainRow(i));
        for (const { at, change } of odds) rows[at] = { ...rows[at], ...change };
        const all = columns(rows);
        const batches = parts.map(([from, length]) => {
          const count = Math.min(length, 600 - from);
          return cellBatch(
            all.map((data) => data.slice(from, count) as Data),
            count,
          );
        });
        const outcome = (least: number): string => {
          try {
            return written(style, batches, least);
          } catch (error) {
            return String((error as { code?: string }).code);
          }
        };
        const expected = outcome(Number.POSITIVE_INFINITY);
        expect(outcome(0)).toBe(expected);
        expect(outcome(100)).toBe(expected);
      },
    );
    const plain = Array.from({ length: 2_000 }, (_, i) => plainRow(i));
    const turns = [plain, plain.map((row) => ({ ...row, text: `other ${row.text}` }))].map((rows) => {
      const out = new Output(16);
      const batch = cellBatch(columns(rows), rows.length);
      return { out, steps: writeRows(style, [batch], out), expected: written(style, [batch], 1e9) };
    });
    while (turns.filter(({ steps }) => steps.next().done !== true).length > 0);
    for (const { out, expected } of turns) expect(Buffer.from(out.written()).toString()).toBe(expected);
  });

  it("what does not fit into the program's memory is left to JavaScript", () => {
    const only = (data: Data, type: string) => {
      const batch = cellBatch([data], data.length);
      const own = style === STYLES["JSON"] ? jsonRows : style === STYLES["XML"] ? xmlRows : csv;
      const one = own([{ name: "c", type }]);
      expect(written(one, [batch], 0)).toBe(written(one, [batch], 1e9));
      return compiledRows(one, batch);
    };
    const csv = (specs: { name: string; type: string }[]) => csvLines(specs, true, true);
    const words = Array.from({ length: 5_000 }, (_, i) => `word ${i}`);
    const dictionary = (values: readonly string[]) =>
      vectorFromArray(values, new Dictionary(new Utf8(), new Int32())).data[0];
    expect(only(dictionary(words), "String")).toBeUndefined();
    expect(only(dictionary(words.slice(0, 4_000)), "String")).toBeDefined();
    expect(only(dictionary(words.slice(0, 40).map((word) => word.repeat(2_000))), "String")).toBeUndefined();
    expect(only(vectorFromArray(["a", "b".repeat(3 << 20), "c"], new Utf8()).data[0], "String")).toBeDefined();
    const many = Array.from({ length: 4_000 }, () => columns([plainRow(1)])[8]);
    expect(compiledRows(jsonRows(many.map((_, i) => ({ name: `c${i}`, type: "Integer" }))), cellBatch(many, 1))).toBe(
      undefined,
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Bool,
  type DataType,
  DateDay,
  DateMillisecond,
  Decimal,
  Dictionary,
  Float32,
  Float64,
  Int32,
  Int64,
  makeData,
  makeVector,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Type,
  Uint64,
  Utf8,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { cellBatch, cellColumn } from "../../src/columns/arrow/cell-batch.js";
import type { CellBatch } from "../../src/document/cells/cell-batch.js";
import { Output } from "../../src/document/cells/output.js";
import { writeRows } from "../../src/document/cells/row-bytes.js";
import { csvLines, jsonRows, type RowStyle, xmlRows } from "../../src/document/cells/row-style.js";
import { type ColumnSpec, SPEC_TYPES } from "../../src/spec/columns.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { csvRow, jsonRow, xmlRow } from "./row-texts.js";

/** Every format: the writer of bytes, and the same rows cell by cell as text. */
const FORMATS: readonly {
  readonly name: string;
  readonly style: (columns: readonly ColumnSpec[]) => RowStyle;
  readonly texts: (columns: readonly ColumnSpec[], rows: readonly (readonly (string | null)[])[]) => string;
}[] = [
  { name: "JSON", style: jsonRows, texts: (columns, rows) => rows.map(jsonRow(columns)).join(",") },
  ...[true, false].flatMap((quoteEmpty) =>
    [true, false].map((point) => ({
      name: `CSV, empty text ${quoteEmpty ? "quoted" : "bare"}, ${point ? "with" : "without"} points`,
      style: (columns: readonly ColumnSpec[]) => csvLines(columns, quoteEmpty, point),
      texts: (columns: readonly ColumnSpec[], rows: readonly (readonly (string | null)[])[]) =>
        rows.map(csvRow(columns, quoteEmpty, point)).join(""),
    })),
  ),
  { name: "XML", style: xmlRows, texts: (columns, rows) => rows.map(xmlRow(columns)).join("") },
];

function textsOf({ rows, columns }: CellBatch): (string | null)[][] {
  return Array.from({ length: rows }, (_, i) =>
    columns.map(({ valid, text }) => (valid?.(i) === false ? null : text(i))),
  );
}

/** Rows by the compiled writer where it can, or without it. */
function written(style: RowStyle, batches: readonly CellBatch[], isCompiled = true): Uint8Array {
  const out = new Output(16);
  for (const _ of writeRows(style, batches, out, isCompiled ? 0 : Number.POSITIVE_INFINITY));
  return out.written();
}

/** What a writer gives, or the code of its error. */
function outcome(write: () => string): string {
  try {
    return write();
  } catch (error) {
    return `error ${(error as { code?: string }).code}`;
  }
}

function expectEqual(columns: readonly ColumnSpec[], batches: readonly CellBatch[]): void {
  const rows = batches.flatMap(textsOf);
  for (const { name, style, texts } of FORMATS) {
    const expected = outcome(() => texts(columns, rows));
    for (const isCompiled of [true, false]) {
      const bytes = outcome(() => Buffer.from(written(style(columns), batches, isCompiled)).toString());
      expect(bytes, `${name}${isCompiled ? "" : " in JavaScript"}`).toBe(expected);
    }
  }
}

/** Text with everything that some format escapes, quotes or refuses. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "Z", "7", " ", "~"), maxLength: 30 }),
  fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", "\\", "<", ">", "&", "'", "\t", "\ufeff", "é") }),
  fc.string({ unit: "binary", maxLength: 12 }).map((some) => Buffer.from(some).toString()),
  fc.constantFrom(
    "",
    "null",
    "NaN",
    "true",
    "1.50",
    "\u0001",
    "\u001f",
    "\u007f",
    "\u0085",
    "\u2028",
    "\0",
    "\uffff",
    "漢字",
  ),
  fc.nat(20).map((n) => "x".repeat(n * 10)),
);

const bigints = (bits: number) =>
  fc.nat(bits - 1).chain((size) => fc.bigInt({ min: -(2n ** BigInt(size)), max: 2n ** BigInt(size) - 1n }));

const words = (bits: number) => (value: bigint) =>
  Uint32Array.from({ length: bits / 32 }, (_, k) => Number((value >> BigInt(32 * k)) & 0xffff_ffffn));

function decimal(digits: number, scale: number, bits: 128 | 256): fc.Arbitrary<Case> {
  const most = 10n ** BigInt(digits) - 1n;
  const value = fc.oneof(bigints(bits - 4), fc.constantFrom(most, -most, 0n)).map((v) => v % (most + 1n));
  return fc.array(value, { minLength: 1, maxLength: 40 }).map((values) => ({
    declared: [`BigDecimal(${digits},${scale})`, "Integer", "String", "Boolean"],
    type: new Decimal(scale, digits, bits),
    data: Uint32Array.from(values.flatMap((v) => [...words(bits)(v)])),
    length: values.length,
  }));
}

interface Case {
  /** Service types under which the column may be declared; the first is its own. */
  readonly declared: readonly string[];
  readonly type: DataType;
  readonly data: ArrayBufferView;
  readonly length: number;
}

const fixed = <T>(
  declared: readonly string[],
  type: DataType,
  value: fc.Arbitrary<T>,
  data: (values: T[]) => ArrayBufferView,
): fc.Arbitrary<Case> =>
  fc
    .array(value, { minLength: 1, maxLength: 40 })
    .map((values) => ({ declared, type, data: data(values), length: values.length }));

const int64 = fc.oneof(bigints(64), fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 0n));
const double = fc.oneof(
  fc.double(),
  fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 100),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 1e21, -1e21, 5e-324, 1e-7),
);
const ALL = ["String", "Date", "DateTime", "Integer", "double", "Boolean", "BigDecimal(9,2)"];
const of = (title: string) => [title, ...ALL];

const numbers: fc.Arbitrary<Case> = fc.oneof(
  decimal(15, 4, 128),
  decimal(38, 0, 128),
  decimal(38, 38, 128),
  decimal(76, 20, 256),
  decimal(76, 76, 256),
  fixed(of("Integer"), new Int64(), int64, (values) => BigInt64Array.from(values)),
  fixed(of("Integer"), new Uint64(), int64, (values) => BigUint64Array.from(values.map((v) => BigInt.asUintN(64, v)))),
  fixed(of("Integer"), new Int32(), fc.integer(), (values) => Int32Array.from(values)),
  fixed(of("double"), new Float64(), double, (values) => Float64Array.from(values)),
  fixed(of("double"), new Float32(), double, (values) => Float32Array.from(values)),
  fixed(of("Boolean"), new Bool(), fc.nat(255), (values) => Uint8Array.from(values)),
);

const days = fc.oneof(fc.integer({ min: -719_600, max: 2_933_000 }), fc.integer());
const times: fc.Arbitrary<Case> = fc.oneof(
  fixed(of("Date"), new DateDay(), days, (values) => Int32Array.from(values)),
  fixed(of("Date"), new DateMillisecond(), days, (values) =>
    BigInt64Array.from(values.map((v) => BigInt(v) * 86_400_000n)),
  ),
  ...[
    [new TimestampSecond("UTC"), 1n],
    [new TimestampMillisecond("UTC"), 1_000n],
    [new TimestampMillisecond(), 1_000n],
    [new TimestampMicrosecond("UTC"), 1_000_000n],
    [new TimestampNanosecond("UTC"), 1_000_000_000n],
  ].map(([type, unit]) => {
    const part = fc.oneof(fc.constant(0), fc.nat(999), fc.nat(999_999_999)).map((n) => BigInt(n) % (unit as bigint));
    const seconds = fc.integer({ min: -62_167_300_000, max: 253_402_400_000 }).map((n) => BigInt(n) * (unit as bigint));
    const value = fc.tuple(seconds, part).map(([whole, rest]) => BigInt.asIntN(64, whole + rest));
    return fixed(of("DateTime"), type as DataType, value, (values) => BigInt64Array.from(values));
  }),
);

/** A bitmap that makes some rows null. */
const nulls = fc.option(fc.uint8Array({ minLength: 8, maxLength: 8 }), { nil: undefined });
const declaredAs = fc.nat(6);

const anyFixed = fc
  .tuple(fc.oneof(numbers, times), nulls, declaredAs)
  .map(([{ declared, type, data, length }, bits, k]) => ({
    column: { name: "c", type: declared[k % declared.length] },
    data: makeData({ type, length, data, ...(bits && { nullBitmap: bits, nullCount: -1 }) } as never),
  }));

const cells = fc.array(fc.option(text), { minLength: 1, maxLength: 30 });
const anyText = fc
  .tuple(cells, fc.boolean(), fc.constantFrom("String", "Date", "Boolean", "text"))
  .map(([values, repeats, type]) => ({
    column: { name: "c", type },
    data: vectorFromArray(values, repeats ? new Dictionary(new Utf8(), new Int32()) : new Utf8()).data[0],
  }));

describe("rows as bytes equal the rows written cell by cell", () => {
  it.each([
    ["numbers, dates and timestamps under any declared type", anyFixed],
    ["texts, plain and in a dictionary", anyText],
  ])("%s", (_, column) => {
    forAll(runs(800), column, ({ column: spec, data }) => {
      expectEqual([spec], [cellBatch([data], data.length)]);
      if (data.length < 3) return;
      // A slice shares the buffers of the whole.
      const slice = data.slice(1, data.length - 2);
      expectEqual([spec], [cellBatch([slice], slice.length)]);
    });
  });

  it("numbers in text, as columns wider than the engine's decimals are", () => {
    const number = fc.oneof(
      fc.stringMatching(/^[+-]?\d{0,50}(\.\d{0,40})?([eE][+-]?\d{1,3})?$/),
      fc.constantFrom("NaN", "-inf", "Infinity", "+inf", ".", "-", "1e", "x", "00.50", "+7", "-.5"),
    );
    forAll(runs(800), fc.array(fc.option(number), { minLength: 1, maxLength: 5 }), (values) => {
      const [data] = vectorFromArray(values, new Utf8()).data;
      expectEqual([{ name: "c", type: "BigDecimal(50,28)" }], [cellBatch([data], data.length)]);
      expectEqual([{ name: "c", type: "Integer" }], [cellBatch([data], data.length)]);
    });
  });

  it("many columns, several batches of different dictionaries, chunks of whole rows", () => {
    const names = Object.values(SPEC_TYPES).map(({ title }, i) => ({
      name: `c${i}`,
      type: title.replace("p,s", "15,4"),
    }));
    const batch = (seed: number): CellBatch => {
      const rows = 4_000;
      const values = names.map((_, k) =>
        Array.from({ length: rows }, (_, i) => ((i * 7 + k) % 11 === 0 ? null : i % (seed + 5))),
      );
      const data = values.map((each, k) =>
        k === 0
          ? vectorFromArray(
              each.map((v) => (v === null ? null : `T<${v}>, ${"é".repeat(seed)}`)),
              new Dictionary(new Utf8(), new Int32()),
            ).data[0]
          : vectorFromArray(
              each.map((v) => (v === null ? null : v / 8)),
              new Float64(),
            ).data[0],
      );
      return cellBatch(data, rows);
    };
    const batches = [batch(1), batch(2), cellBatch([], 0), batch(3)];
    const columns = names.map(({ name, type }, k) => ({ name, type: k === 0 ? type : "double" }));
    expectEqual(columns, batches);
    const out = new Output(16);
    let pauses = 0;
    for (const _ of writeRows(csvLines(columns, true, true), batches, out)) {
      pauses++;
      expect(out.written().at(-1)).toBe(0x0a);
    }
    expect(pauses).toBeGreaterThan(4);
    expect(out.length / pauses).toBeLessThan(100_000);
  });
});

it("a dictionary index outside the dictionary is an error, as it is when read as text", () => {
  const dictionary = makeVector(vectorFromArray(["a", "b"], new Utf8()).data[0]);
  const type = new Dictionary(new Utf8(), new Int32());
  const data = makeData({ type, length: 3, data: Int32Array.of(0, 1, 7), dictionary } as never);
  const write = () => written(jsonRows([{ name: "c", type: "String" }]), [cellBatch([data], 3)]);
  expect(write).toThrow(expect.objectContaining({ code: "BadDictionaryIndex" }));
  expect(cellColumn(data).fast?.kind).toBe("entries");
  expect(Type.Dictionary).toBe(data.type.typeId);
});

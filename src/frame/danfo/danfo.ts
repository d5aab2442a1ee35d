import { DataType, type Schema, Table } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { distinctNames, namesOf } from "../../columns/arrow/column-names.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { textBatches } from "../../columns/build/from-text-rows.js";
import { InputError } from "../../errors/errors.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { type ColumnSpec, parseType } from "../../spec/columns.js";
import { textOf, typeOfValues } from "../cells/values.js";

/** What is used of a Danfo frame; the real class has far more. */
export interface DanfoFrameShape {
  readonly columns: string[];
  readonly dtypes: string[];
  readonly values: unknown;
  readonly shape: number[];
}

/** The module `danfojs-node`, or one of the same shape. */
interface DanfoModule<DataFrame = DanfoFrameShape> {
  readonly DataFrame: new (data?: never, options?: never) => DataFrame;
}

/** What a conversion to Danfo could not carry over. */
export interface DanfoReport {
  /** Decimal columns in which at least one value is not the nearest number's shortest text. */
  readonly lostDigits: readonly string[];
  /** Integer columns with values beyond 2^53. */
  readonly unsafeIntegers: readonly string[];
  /** Columns that had to take another name: old and new. */
  readonly renamed: readonly (readonly [from: string, to: string])[];
}

/** How a table becomes a Danfo frame; the first value of each is the default. */
export interface DanfoOptions<DataFrame = DanfoFrameShape> {
  /** The module, where `import("danfojs-node")` is not what you use. */
  readonly danfo?: DanfoModule<DataFrame>;
  /** `number`: the nearest double; `string`: exact. */
  readonly decimals?: "number" | "string";
  /** `string`: ISO text, which sorts, groups and prints well; `Date`. */
  readonly dates?: "string" | "Date";
  /** A null in a column of numbers: `NaN`, which is visible, or `null`, which Danfo's groupby counts as 0. */
  readonly nulls?: "NaN" | "null";
  /** Takes what could not be carried over; default a process warning when there is something. */
  readonly onReport?: (report: DanfoReport) => void;
}

/** Rows above which Danfo becomes slow (its sort is quadratic). */
const SLOW_ROWS = 100_000;

/** The overrides that let danfojs-node install where its native and tarball dependencies cannot be fetched. */
const OVERRIDES = { "@tensorflow/tfjs-node": "npm:@tensorflow/tfjs@3.21.0", xlsx: "npm:@e965/xlsx@0.20.3" };

/** What to do where danfojs-node is missing, with the overrides for each package manager. */
export const INSTALL = [
  "Install it: npm install danfojs-node. Where its native parts cannot be fetched, first add to package.json",
  `for npm:  "overrides": ${JSON.stringify(OVERRIDES)}`,
  `for pnpm: "pnpm": { "overrides": ${JSON.stringify(OVERRIDES)} }`,
  `for yarn: "resolutions": ${JSON.stringify(OVERRIDES)}`,
].join("\n");

/**
 * The table as a Danfo frame with forced types: text and dates `string`, numbers `float32` by label (the values stay
 * doubles), booleans `boolean`. Nulls in numbers become `NaN`; a column name that would break Danfo gets a `_`.
 *
 * @throws {InputError} MissingPackage with the overrides to install danfojs-node
 */
export async function toDanfo<DataFrame>(table: Table, options: DanfoOptions<DataFrame> = {}): Promise<DataFrame> {
  refuseUnknown(options, ["danfo", "decimals", "dates", "nulls", "onReport"], "toDanfo()");
  checkWords(options, { decimals: ["number", "string"], dates: ["string", "Date"], nulls: ["NaN", "null"] });
  const { DataFrame } = options.danfo ?? ((await loadDanfo()) as unknown as DanfoModule<DataFrame>);
  const names = danfoNames(namesOf(table), DataFrame.prototype as object);
  const filled = table.schema.fields.map((_, at) => danfoColumn(table, at, options));
  const columns = filled.map(({ cells }) => cells);
  const rows = Array.from({ length: table.numRows }, (_, i) => columns.map((cells) => cells[i]));
  const dtypes = filled.map(({ dtype }) => dtype);
  const frame = new DataFrame(rows as never, { columns: names, dtypes, config: { lowMemoryMode: true } } as never);
  shareColumns(frame as object, columns);
  report(table, names, filled, options);
  return frame;
}

async function loadDanfo(): Promise<DanfoModule> {
  try {
    const name = "danfojs-node";
    const module = (await import(name)) as DanfoModule & { readonly default?: DanfoModule };
    return module.DataFrame === undefined && module.default !== undefined ? module.default : module;
  } catch (cause) {
    throw new InputError("A Danfo frame needs the package danfojs-node.", {
      code: "MissingPackage",
      hint: INSTALL,
      cause,
    });
  }
}

/** Gives Danfo our columns for its column accessors, so that it need not turn the rows round once more. */
function shareColumns(frame: object, columns: readonly (readonly unknown[])[]): void {
  const inner = frame as {
    $dataIncolumnFormat?: unknown;
    $config?: { isLowMemoryMode?: boolean; setLowMemoryMode?: unknown };
  };
  if (!Array.isArray(inner.$dataIncolumnFormat) || columns.length === 0 || columns[0].length === 0) return;
  const config = inner.$config as { lowMemoryMode?: boolean } | undefined;
  if (config === undefined || config.lowMemoryMode !== true) return;
  inner.$dataIncolumnFormat = columns;
  config.lowMemoryMode = false;
}

/** Names that Danfo can hold: not one of its own members, none twice, none that starts with `$`. */
function danfoNames(names: readonly string[], prototype: object): string[] {
  return distinctNames(names.map((name) => (name in prototype || /^\$|^$/.test(name) ? `${name}_` : name)));
}

interface DanfoColumn {
  readonly cells: unknown[];
  readonly dtype: "string" | "float32" | "int32" | "boolean" | "datetime";
  readonly lost?: "digits" | "integers";
}

function danfoColumn(table: Table, at: number, options: DanfoOptions<unknown>): DanfoColumn {
  const { type } = table.schema.fields[at];
  const missing = options.nulls === "null" ? null : Number.NaN;
  if (DataType.isDecimal(type) && options.decimals !== "string") return numbers(table, at, missing, "digits");
  if (DataType.isInt(type)) return numbers(table, at, missing, type.bitWidth === 64 ? "integers" : undefined);
  if (DataType.isFloat(type)) return numbers(table, at, missing, undefined);
  if (DataType.isBool(type)) return { cells: cellsOf(table, at, "value"), dtype: "boolean" };
  if (options.dates === "Date" && (DataType.isDate(type) || DataType.isTimestamp(type))) {
    return {
      cells: cellsOf(table, at, "time").map((time) => (time === null ? null : new Date(time as number))),
      dtype: "datetime",
    };
  }
  return { cells: cellsOf(table, at, "text"), dtype: "string" };
}

function cellsOf(table: Table, at: number, kind: "value" | "text" | "time"): unknown[] {
  const cells: unknown[] = [];
  for (const batch of table.batches) {
    const reader = chunkReader(batch.data.children[at]);
    const read = reader[kind] ?? reader.value;
    for (let i = 0; i < batch.numRows; i++) cells.push(reader.valid(i) ? read(i) : null);
  }
  return cells;
}

function numbers(
  table: Table,
  at: number,
  missing: number | null,
  check: "digits" | "integers" | undefined,
): DanfoColumn {
  const cells: unknown[] = [];
  let lost = false;
  for (const batch of table.batches) {
    const { valid, number, integer, text } = chunkReader(batch.data.children[at]);
    for (let i = 0; i < batch.numRows; i++) {
      if (!valid(i) || number === undefined) {
        cells.push(missing);
        continue;
      }
      const value = number(i);
      cells.push(value);
      if (lost || check === undefined || integer === undefined) continue;
      const whole = integer(i);
      if (whole < SURE && whole > -SURE) continue;
      lost = check === "integers" ? BigInt(value) !== whole : !sameDecimal(String(value), text(i));
    }
  }
  return { cells, dtype: "float32", ...(lost && check && { lost: check }) };
}

/** Decimals of up to 15 digits always come back from a double. */
const SURE = 10n ** 15n;

/** Whether two decimal texts stand for one value, exponents and trailing zeros aside. */
function sameDecimal(a: string, b: string): boolean {
  const [x, y] = [a, b].map(partsOf);
  return x.digits === y.digits && x.power === y.power;
}

function partsOf(text: string): { readonly digits: string; readonly power: number } {
  const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const trimmed = digits.replace(/0+$/, "");
  return { digits: sign + trimmed, power: Number(exponent) - fraction.length + digits.length - trimmed.length };
}

function report<T>(
  table: Table,
  names: readonly string[],
  columns: readonly DanfoColumn[],
  options: DanfoOptions<T>,
): void {
  const old = namesOf(table);
  const lossOf = (kind: "digits" | "integers"): string[] => old.filter((_, i) => columns[i].lost === kind);
  const found: DanfoReport = {
    lostDigits: lossOf("digits"),
    unsafeIntegers: lossOf("integers"),
    renamed: old.flatMap((name, i) => (name === names[i] ? [] : [[name, names[i]] as const])),
  };
  if (options.onReport !== undefined) {
    options.onReport(found);
    return;
  }
  const parts = [
    ...(found.lostDigits.length > 0
      ? [`digits were lost in ${found.lostDigits.join(", ")} (decimals: "string" keeps them)`]
      : []),
    ...(found.unsafeIntegers.length > 0
      ? [`integers beyond 2^53 lost digits in ${found.unsafeIntegers.join(", ")}`]
      : []),
    ...found.renamed.map(([from, to]) => `column ${JSON.stringify(from)} is called ${JSON.stringify(to)}`),
    ...(table.numRows > SLOW_ROWS ? [`${table.numRows} rows: Danfo becomes slow above ${SLOW_ROWS}`] : []),
  ];
  if (parts.length > 0) process.emitWarning(`toDanfo: ${parts.join("; ")}.`, { code: "ARROWBOOK_DANFO" });
}

/** How a Danfo frame becomes a table. */
export interface FromDanfoOptions {
  /**
   * The types of the columns: an Arrow schema (such as that of the frame it came from), or columns with service types.
   */
  readonly schema?: Schema | readonly ColumnSpec[];
  /** Digits beyond a declared scale, as computed numbers have them: an error, or rounded half to even. */
  readonly onPrecisionLoss?: "error" | "round";
}

/**
 * The table of a Danfo frame. With a schema its names and types come back, also where `toDanfo` had to change a name;
 * columns it does not know are kept with the type of their values. `NaN` in a declared column is null.
 *
 * @throws {DataError} for a cell that does not fit its declared type
 */
export function tableFromDanfo(frame: DanfoFrameShape, options: FromDanfoOptions = {}): Table {
  refuseUnknown(options, ["schema", "onPrecisionLoss"], "fromDanfo()");
  checkWords(options, { onPrecisionLoss: ["error", "round"] });
  if (!Array.isArray(frame?.columns) || !Array.isArray(frame.values)) {
    throw new InputError(`fromDanfo() expects a Danfo frame; ${shown(frame)} has no columns and values.`, {
      code: "BadArgument",
      hint: "Give a DataFrame of danfojs-node; await what is a Promise. Other rows go into Frame.fromRows(rows).",
    });
  }
  const columns = declaredColumns(frame, options.schema);
  const rows = frame.values as readonly (readonly unknown[])[];
  const texts = columns.map(({ spec, declared }) => danfoText(spec, declared));
  const cells = function* (): Generator<(string | null)[]> {
    for (const row of rows) yield columns.map(({ at }, c) => texts[c](Array.isArray(row) ? row[at] : row));
  };
  const specs = columns.map(({ spec }) => spec);
  const batches = [...textBatches(cells(), specs, { onPrecisionLoss: options.onPrecisionLoss })];
  return new Table(batches[0].schema, batches);
}

function declaredColumns(frame: DanfoFrameShape, schema: Schema | readonly ColumnSpec[] | undefined) {
  const known = schema === undefined ? [] : "fields" in schema ? columnsOf(schema) : schema;
  const renamed = new Map(known.map((spec) => [`${spec.name}_`, spec]));
  const exact = new Map(known.map((spec) => [spec.name, spec]));
  return frame.columns.map(String).map((name, at) => {
    const declared = exact.get(name) ?? renamed.get(name);
    if (declared !== undefined) return { at, spec: declared, declared: true };
    const values = (frame.values as readonly unknown[]).map((row) => (Array.isArray(row) ? row[at] : row));
    return { at, spec: { name, type: typeOfValues(name, values) }, declared: false };
  });
}

function danfoText(spec: ColumnSpec, declared: boolean): (value: unknown) => string | null {
  const text = textOf(spec);
  const missing = declared || parseType(spec.type).kind === "double";
  return (value) => (missing && typeof value === "number" && Number.isNaN(value) ? null : text(value));
}

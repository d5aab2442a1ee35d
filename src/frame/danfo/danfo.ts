import { type Data, DataType, type Decimal, type Schema, Table } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { distinctNames, namesOf } from "../../columns/arrow/column-names.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { vectorToDates, vectorToStrings } from "../../columns/arrow/vector-values.js";
import { textRows } from "../../columns/build/text-rows.js";
import { decimalDoubles } from "../../columns/table/decimal-doubles.js";
import { InputError } from "../../errors/errors.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { importDanfo } from "../../platform/node/packages.js";
import { emitWarning } from "../../platform/node/process.js";
import { vectorAt } from "../../series/core/choose.js";
import { type ColumnSpec, parseType } from "../../spec/columns.js";
import { significantDigits } from "../../value/json-number.js";
import { textOf, typeOfValues } from "../cells/values.js";

/** The part of a Danfo frame in use; the real class has far more. */
export interface DanfoFrameShape {
  readonly columns: string[];
  readonly dtypes: string[];
  readonly values: unknown;
  readonly shape: number[];
}

/** The module `danfojs-node`, or another of the same shape. */
interface DanfoModule<DataFrame = DanfoFrameShape> {
  readonly DataFrame: new (data?: never, options?: never) => DataFrame;
}

/** What a conversion to Danfo could not preserve. */
export interface DanfoReport {
  /** Decimal columns in which at least one value differs from the shortest text of the nearest double. */
  readonly lostDigits: readonly string[];
  /** Integer columns with values beyond 2^53. */
  readonly unsafeIntegers: readonly string[];
  /** Columns that had to be renamed: old and new name. */
  readonly renamed: readonly (readonly [from: string, to: string])[];
}

/** How a table is converted to a Danfo frame; the first value of each option is the default. */
export interface DanfoOptions<DataFrame = DanfoFrameShape> {
  /** The module, if it is not `import("danfojs-node")`. */
  readonly danfo?: DanfoModule<DataFrame>;
  /** `number`: the nearest double; `string`: exact. */
  readonly decimals?: "number" | "string";
  /** `string`: ISO text, which sorts, groups and prints well; `Date`. */
  readonly dates?: "string" | "Date";
  /**
   * How a null in a number column is represented: `NaN`, which is visible, or `null`, which Danfo's groupby counts as
   * 0.
   */
  readonly nulls?: "NaN" | "null";
  /** Receives what could not be preserved; by default a process warning if there is anything. */
  readonly onReport?: (report: DanfoReport) => void;
}

/** The number of rows from which Danfo becomes slow (its sort is quadratic). */
const SLOW_ROWS = 100_000;

/** The overrides with which danfojs-node installs where its native and tarball dependencies cannot be downloaded. */
const OVERRIDES = { "@tensorflow/tfjs-node": "npm:@tensorflow/tfjs@3.21.0", xlsx: "npm:@e965/xlsx@0.20.3" };

/** How to install danfojs-node, with the overrides for each package manager. */
export const INSTALL = [
  "Install it: npm install danfojs-node. Where its native parts cannot be fetched, first add to package.json",
  `for npm:  "overrides": ${JSON.stringify(OVERRIDES)}`,
  `for pnpm: "pnpm": { "overrides": ${JSON.stringify(OVERRIDES)} }`,
  `for yarn: "resolutions": ${JSON.stringify(OVERRIDES)}`,
].join("\n");

/**
 * Converts a table to a Danfo frame with forced types: text and dates `string`, numbers labelled `float32` (the values
 * stay doubles), booleans `boolean`. Nulls in number columns become `NaN`; `_` is appended to column names that Danfo
 * does not support.
 *
 * @throws {InputError} MissingPackage with the overrides for installing danfojs-node
 */
export async function toDanfo<DataFrame>(table: Table, options: DanfoOptions<DataFrame> = {}): Promise<DataFrame> {
  refuseUnknown(options, ["danfo", "decimals", "dates", "nulls", "onReport"], "toDanfo()");
  checkWords(options, { decimals: ["number", "string"], dates: ["string", "Date"], nulls: ["NaN", "null"] });
  const { DataFrame } = options.danfo ?? ((await loadDanfo()) as unknown as DanfoModule<DataFrame>);
  const names = danfoNames(namesOf(table), DataFrame.prototype as object);
  const filled = table.schema.fields.map((_, at) => danfoColumn(table, at, options));
  const columns = filled.map(({ cells }) => cells);
  const rows = rowsOf(columns, table.numRows);
  const dtypes = filled.map(({ dtype }) => dtype);
  const frame = new DataFrame(rows as never, { columns: names, dtypes, config: { lowMemoryMode: true } } as never);
  transposeOnAccess(frame as object);
  report(table, names, filled, options);
  return frame;
}

/** The rows of columns, in a loop that the engine compiles for the number of columns at once. */
function rowsOf(columns: readonly ArrayLike<unknown>[], length: number): unknown[][] {
  const rows = new Array<unknown[]>(length);
  const width = columns.length;
  for (let i = 0; i < length; i++) {
    const row = new Array<unknown>(width);
    for (let k = 0; k < width; k++) row[k] = columns[k][i];
    rows[i] = row;
  }
  return rows;
}

async function loadDanfo(): Promise<DanfoModule> {
  try {
    const module = (await importDanfo()) as DanfoModule & { readonly default?: DanfoModule };
    return module.DataFrame === undefined && module.default !== undefined ? module.default : module;
  } catch (cause) {
    throw new InputError("A Danfo frame requires the package danfojs-node.", {
      code: "MissingPackage",
      hint: INSTALL,
      cause,
    });
  }
}

/**
 * Gives Danfo's column accessors columns that are made of its rows when one is first accessed, and then kept: with
 * `lowMemoryMode` it would transpose at each access, without it at once.
 */
function transposeOnAccess(frame: object): void {
  const inner = frame as { $data?: unknown[][]; $dataIncolumnFormat?: unknown; $config?: { lowMemoryMode?: boolean } };
  const { $config: config, $data: data } = inner;
  const isKnown = Array.isArray(inner.$dataIncolumnFormat) && config?.lowMemoryMode === true && Array.isArray(data);
  if (!isKnown || data.length === 0 || data[0].length === 0) return;
  const keep = (value: unknown): void => {
    Object.defineProperty(inner, "$dataIncolumnFormat", {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  };
  Object.defineProperty(inner, "$dataIncolumnFormat", {
    get: () => {
      const rows = inner.$data as unknown[][];
      const columns = rows[0].map((_, k) => rows.map((row) => row[k]));
      keep(columns);
      return columns;
    },
    set: keep,
    enumerable: true,
    configurable: true,
  });
  (config as { lowMemoryMode: boolean }).lowMemoryMode = false;
}

/** Names that Danfo supports: not those of its own members, unique, not starting with `$`. */
function danfoNames(names: readonly string[], prototype: object): string[] {
  return distinctNames(names.map((name) => (name in prototype || /^\$|^$/.test(name) ? `${name}_` : name)));
}

interface DanfoColumn {
  readonly cells: ArrayLike<unknown>;
  readonly dtype: "string" | "float32" | "int32" | "boolean" | "datetime";
  readonly lost?: "digits" | "integers";
}

function danfoColumn(table: Table, at: number, options: DanfoOptions<unknown>): DanfoColumn {
  const { type } = table.schema.fields[at];
  const vector = vectorAt(table, at);
  const missing = options.nulls === "null" ? null : Number.NaN;
  if (DataType.isDecimal(type) && options.decimals !== "string") return numbers(table, at, missing, "digits");
  if (DataType.isInt(type)) return numbers(table, at, missing, type.bitWidth === 64 ? "integers" : undefined);
  if (DataType.isFloat(type)) return numbers(table, at, missing, undefined);
  if (DataType.isBool(type)) return { cells: [...vector], dtype: "boolean" };
  if (options.dates === "Date" && (DataType.isDate(type) || DataType.isTimestamp(type))) {
    return { cells: vectorToDates(vector), dtype: "datetime" };
  }
  return { cells: vectorToStrings(vector), dtype: "string" };
}

function numbers(
  table: Table,
  at: number,
  missing: number | null,
  check: "digits" | "integers" | undefined,
): DanfoColumn {
  const cells = missing === null ? new Array<number | null>(table.numRows) : new Float64Array(table.numRows);
  let lost = false;
  let row = 0;
  for (const batch of table.batches) {
    const data = batch.data.children[at] as Data;
    const { valid, number, integer, text } = chunkReader(data);
    const doubles = decimalDoubles([data], data.length);
    const sure = check === "integers" ? Number.MAX_SAFE_INTEGER : SURE / 10 ** (data.type as Decimal).scale;
    for (let i = 0; i < batch.numRows; i++, row++) {
      if (!valid(i) || number === undefined) {
        cells[row] = missing as number;
        continue;
      }
      const value = doubles === undefined ? number(i) : doubles[i];
      cells[row] = value;
      if (lost || check === undefined || (value < sure && value > -sure) || integer === undefined) continue;
      lost = check === "integers" ? BigInt(value) !== integer(i) : !sameDecimal(String(value), text(i));
    }
  }
  return { cells, dtype: "float32", ...(lost && check && { lost: check }) };
}

/** Decimals of fewer units have at most 15 digits, which survive the conversion to a double and back. */
const SURE = 9e14;

const sameDecimal = (a: string, b: string): boolean =>
  a.startsWith("-") === b.startsWith("-") && significantDigits(a) === significantDigits(b);

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
    ...found.renamed.map(([from, to]) => `column ${JSON.stringify(from)} was renamed to ${JSON.stringify(to)}`),
    ...(table.numRows > SLOW_ROWS ? [`${table.numRows} rows: Danfo becomes slow above ${SLOW_ROWS}`] : []),
  ];
  if (parts.length > 0) emitWarning(`toDanfo: ${parts.join("; ")}.`, { code: "ARROWBOOK_DANFO" });
}

/** How a Danfo frame is converted to a table. */
export interface FromDanfoOptions {
  /** The types of the columns: an Arrow schema (such as that of the original frame), or columns with service types. */
  readonly schema?: Schema | readonly ColumnSpec[];
  /** Digits beyond a declared scale, as in computed numbers: an error, or rounded half to even. */
  readonly onPrecisionLoss?: "error" | "round";
}

/**
 * Converts a Danfo frame to a table. A schema restores its names and types, including names that `toDanfo` changed;
 * other columns keep the types of their values. `NaN` in a declared column is null.
 *
 * @throws {DataError} BadCell, PrecisionLoss for a cell that does not fit its declared type
 */
export function tableFromDanfo(frame: DanfoFrameShape, options: FromDanfoOptions = {}): Table {
  refuseUnknown(options, ["schema", "onPrecisionLoss"], "fromDanfo()");
  checkWords(options, { onPrecisionLoss: ["error", "round"] });
  if (!Array.isArray(frame?.columns) || !Array.isArray(frame.values)) {
    throw new InputError(`fromDanfo() expects a Danfo frame; ${shown(frame)} has no columns and values.`, {
      code: "BadArgument",
      hint: "Pass a DataFrame of danfojs-node; await a Promise first. For other rows use Frame.fromRows(rows).",
    });
  }
  const columns = declaredColumns(frame, options.schema);
  const rows = frame.values as readonly (readonly unknown[])[];
  const texts = columns.map(({ spec, declared }) => danfoText(spec, declared));
  const cells = function* (): Generator<(string | null)[]> {
    for (const row of rows) yield columns.map(({ at }, c) => texts[c](Array.isArray(row) ? row[at] : row));
  };
  const specs = columns.map(({ spec }) => spec);
  const batches = textRows(cells(), specs, { onPrecisionLoss: options.onPrecisionLoss }).batches();
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

import { InputError } from "../../../errors/errors.js";
import { suggestion } from "../../../errors/nearest.js";
import { type ColumnSpec, parseType, unitDigits } from "../../../spec/columns.js";
import { distinctNames } from "../../arrow/column-names.js";
import { fieldOf } from "../../arrow/schema.js";
import { conditionPredicate, conditionsOf } from "../../predicate/conditions.js";
import type { Bounds, ColumnPredicate } from "../../predicate/predicate.js";
import type { PlannedGroup } from "./flat-rows.js";
import { foreignType } from "./foreign-type.js";
import { placed, UnsupportedParquet } from "./format/fault.js";
import { isForeign, serviceType } from "./format/leaf-type.js";
import { COLUMNS_KEY, leavesOf, type NotedColumn } from "./format/schema.js";
import type { Chunk, Footer, Leaf, PageRange, SchemaNode, Statistics } from "./format/types.js";
import type { ParquetReadOptions } from "./options.js";

/** A column of the file as it is read. */
export interface PlannedColumn {
  readonly name: string;
  /** Its service type; that of its text where it has none. */
  readonly spec: ColumnSpec;
  readonly node: SchemaNode;
  /** Its only leaf, where it is flat. */
  readonly leaf: Leaf | undefined;
  /** The name of the time zone of its timestamps, where the file notes one. */
  readonly zone?: string | undefined;
}

export type FlatFileColumn = PlannedColumn & { readonly leaf: Leaf };

/** The parts of a file to read. */
export interface ReadPlan {
  /** The chosen columns in their order, then those that only conditions need. */
  readonly columns: readonly PlannedColumn[];
  /** Those of them that are flat, and the others. */
  readonly flat: readonly FlatFileColumn[];
  readonly nested: readonly PlannedColumn[];
  /** How many of the columns are chosen. */
  readonly chosen: number;
  readonly conditions: readonly ColumnPredicate[];
  /** Numbers of the row groups that may hold rows. */
  readonly groups: readonly number[];
}

/**
 * @throws {InputError} UnknownColumn, AmbiguousColumn, WrongType for names and conditions that the file does not have
 */
export function readPlan(footer: Footer, options: ParquetReadOptions): ReadPlan {
  const all = fileColumns(footer);
  const chosen =
    options.columns?.map((name) => columnNamed(all, name)) ?? all.filter((column) => isChosen(column, options));
  const comparisons = conditionsOf(options.where).map((comparison) => {
    const column = columnNamed(all, comparison.column);
    if (column.leaf === undefined || isForeign(column.leaf)) throw notComparable(column);
    // The units of a timestamp are those of its leaf.
    const type = foreignType(column.leaf, column.zone) ?? fieldOf(column.spec, options).type;
    return { column, predicate: conditionPredicate(type, comparison) };
  });
  const columns = [...new Set([...chosen, ...comparisons.map(({ column }) => column)])];
  for (const column of columns) {
    refuseEncrypted(footer, column);
    refuseFaults(column.node, column.name);
  }
  const conditions = comparisons.map(({ column, predicate }) => ({ column: columns.indexOf(column), predicate }));
  const groups = footer.groups.flatMap(({ rows, chunks }, g) => {
    const mayMatch = comparisons.every(({ column: { leaf, spec }, predicate }) => {
      // Bounds are of the leaf's own type.
      if (leaf === undefined || serviceType(leaf) !== spec.type) return true;
      const bounds = boundsOf(chunks[leaf.index]?.statistics?.(), leaf, rows);
      return !bounds.isEmpty && predicate.within(bounds) !== "none";
    });
    return rows > 0 && mayMatch ? [g] : [];
  });
  const flat = columns.filter((column): column is FlatFileColumn => column.leaf !== undefined);
  const nested = columns.filter(({ leaf }) => leaf === undefined);
  return { columns, flat, nested, chosen: new Set(chosen).size, conditions, groups };
}

/** The row groups of a plan, and where the pages of its columns are. */
export function plannedGroups({ groups }: Footer, plan: ReadPlan): PlannedGroup[] {
  const first = [0];
  for (const { rows } of groups) first.push(first[first.length - 1] + rows);
  const leaves = plan.columns.flatMap(({ node }) => leavesOf(node));
  return plan.groups.map((number) => {
    const { rows, chunks } = groups[number];
    const pages = new Map<number, PageRange>();
    for (const { index } of leaves) {
      const { codec, values, start, end } = chunks[index] as Chunk;
      pages.set(index, { codec, values, start, end });
    }
    return { number, first: first[number], rows, pages };
  });
}

export function fileColumns({ columns, keyValues, isOwn }: Footer): PlannedColumn[] {
  const names = distinctNames(columns.map(({ name }) => name));
  const specs = notedColumns(keyValues.get(COLUMNS_KEY), names);
  return columns.map((node, i) => {
    const leaf = node.leaf?.maxRepetition === 0 ? node.leaf : undefined;
    const noted = specs?.[i];
    const name = noted?.name ?? names[i];
    if (leaf === undefined) return { name, spec: { name, type: "String" }, node, leaf };
    // Other writers keep notes about columns that they replaced: the type of the leaf decides, a note only refines it.
    const type = noted !== undefined && refines(noted.type, leaf, isOwn) ? noted.type : serviceType(leaf);
    return { name, spec: { name, type }, node, leaf, zone: noted?.zone };
  });
}

const SECOND_DIGITS = { MILLIS: 3, MICROS: 6, NANOS: 9 };

/** Whether a noted service type is one of the values of a leaf. */
function refines(noted: string, leaf: Leaf, isOwn: boolean): boolean {
  if (isForeign(leaf)) return false;
  const [type, own] = [parseType(noted), parseType(serviceType(leaf))];
  if (type.kind === "datetime" && leaf.meaning.kind === "timestamp")
    return type.scale === undefined || unitDigits(type.scale) === SECOND_DIGITS[leaf.meaning.unit];
  if (type.kind === own.kind) return type.precision === own.precision && type.scale === own.scale;
  if (own.kind === "text" && type.kind === "unknown") return true;
  // This package writes as text what Parquet does not hold.
  return isOwn && own.kind === "text" && (type.kind === "decimal" || type.kind === "date");
}

/** The service's columns as this package noted them; undefined where they are not those of the file. */
function notedColumns(noted: string | undefined, names: readonly string[]): NotedColumn[] | undefined {
  if (noted === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(noted);
    if (!Array.isArray(parsed) || !parsed.every(isSpec)) return undefined;
    const fits = distinctNames(parsed.map(({ name }) => name)).join("\0") === names.join("\0");
    return fits ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const isSpec = (value: Partial<NotedColumn> | null): value is NotedColumn =>
  typeof value?.name === "string" &&
  typeof value.type === "string" &&
  (value.zone === undefined || typeof value.zone === "string");

const isChosen = ({ leaf }: PlannedColumn, { nested }: ParquetReadOptions): boolean =>
  leaf !== undefined || nested !== "skip";

function columnNamed(columns: readonly PlannedColumn[], name: string): PlannedColumn {
  const found = columns.filter((column) => column.name === name);
  if (found.length === 1) return found[0];
  const names = columns.map((column) => column.name);
  throw new InputError(
    found.length === 0
      ? `The Parquet file has no column ${JSON.stringify(name)}.`
      : `The Parquet file has ${found.length} columns ${JSON.stringify(name)}.`,
    {
      code: found.length === 0 ? "UnknownColumn" : "AmbiguousColumn",
      column: name,
      hint: found.length === 0 ? suggestion(name, names, "columns") : "Read all columns, and choose by position.",
    },
  );
}

function notComparable({ name }: PlannedColumn): InputError {
  return new InputError(
    `Column ${JSON.stringify(name)} cannot be in a condition: it is nested, or of a type without an order.`,
    {
      code: "WrongType",
      column: name,
      hint: "Filter the frame after it was read.",
    },
  );
}

function refuseEncrypted({ groups }: Footer, { name, node }: PlannedColumn): void {
  const isEncrypted = leavesOf(node).some(({ index }) => groups.some(({ chunks }) => chunks[index] === undefined));
  if (!isEncrypted) return;
  throw new UnsupportedParquet(
    `column ${JSON.stringify(name)} is encrypted`,
    "Leave it out by naming the others in columns, or decrypt it with the tool that wrote it.",
  );
}

/** Refuses a column whose declared types cannot be read, at any depth. */
function refuseFaults({ leaf, fault = leaf?.fault, children }: SchemaNode, name: string): void {
  if (fault !== undefined) throw placed(fault, `column ${JSON.stringify(name)}`);
  for (const child of children) refuseFaults(child, name);
}

/** Bounds of the values of a column in a row group. */
interface GroupBounds extends Bounds {
  /** No row has a value. */
  readonly isEmpty: boolean;
}

/** What the footer says about the values of a chunk; bounds whose order writers disagree on count as unknown. */
function boundsOf(statistics: Statistics | undefined, leaf: Leaf, rows: number): GroupBounds {
  if (statistics === undefined) return { least: undefined, most: undefined, isEmpty: false };
  const { min, max, nullCount, old } = statistics;
  const isEmpty = nullCount === rows && rows > 0;
  if (old && !isSigned(leaf)) return { least: undefined, most: undefined, isEmpty };
  const [least, most] = [boundOf(min, leaf), boundOf(max, leaf)];
  // Bounds beside NaN, or the wrong way round, say nothing.
  const isOrdered = !(typeof least === "number" && typeof most === "number") || least <= most;
  return isOrdered ? { least, most, isEmpty } : { least: undefined, most: undefined, isEmpty };
}

/** Whether the older fields order the values of a leaf as it does. */
function isSigned({ type, meaning }: Leaf): boolean {
  if (meaning.kind === "integer" && !meaning.signed) return false;
  return type === "INT32" || type === "INT64" || type === "FLOAT" || type === "DOUBLE";
}

function boundOf(bytes: Uint8Array | undefined, leaf: Leaf): Bounds["least"] {
  if (bytes === undefined) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { type, meaning, width } = leaf;
  switch (type) {
    case "FLOAT":
      return bytes.length === 4 ? known(view.getFloat32(0, true)) : undefined;
    case "DOUBLE":
      return bytes.length === 8 ? known(view.getFloat64(0, true)) : undefined;
    case "INT32":
    case "INT64": {
      if (bytes.length !== (type === "INT32" ? 4 : 8)) return undefined;
      const value = type === "INT32" ? BigInt(view.getInt32(0, true)) : view.getBigInt64(0, true);
      if (meaning.kind === "integer" && !meaning.signed) return BigInt.asUintN(type === "INT32" ? 32 : 64, value);
      return value;
    }
    case "FIXED_LEN_BYTE_ARRAY":
      return meaning.kind === "decimal" && bytes.length === width ? bigEndian(bytes) : undefined;
    case "BYTE_ARRAY":
      if (meaning.kind === "decimal") return bytes.length > 0 ? bigEndian(bytes) : undefined;
      return meaning.kind === "text" ? bytes : undefined;
    default:
      return undefined;
  }
}

const known = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

/** The signed integer whose bytes these are, highest first. */
function bigEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(bytes.length * 8, value);
}

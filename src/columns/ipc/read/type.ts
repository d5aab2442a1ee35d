import {
  Binary,
  BinaryView,
  Bool,
  type DataType,
  Date_,
  Decimal,
  Duration,
  type Field,
  FixedSizeBinary,
  FixedSizeList,
  Float,
  Int,
  Interval,
  LargeBinary,
  LargeList,
  LargeUtf8,
  List,
  Map_,
  Null,
  Struct,
  Time,
  Timestamp,
  Type,
  Union,
  Utf8,
  Utf8View,
} from "../../arrow/arrow.js";
import { badArrow, columnName, unsupportedArrow } from "./bad-arrow.js";
import type { FlatTable } from "./flat-table.js";

/** Most digits of a Decimal256; larger scales would produce arbitrarily long strings of zeros. */
const MOST_DIGITS = 76;
const MAX_TYPE_ID = 127;

/** The part of a field's metadata that determines its type. */
export interface TypeSource {
  /** The number of the type in the format's `Type` union. */
  readonly id: number;
  readonly table: FlatTable | undefined;
  readonly children: readonly Field[];
  /** The names of the column and its parents, outermost first. */
  readonly path: readonly string[];
  readonly at: number;
}

type Make = (parameters: Parameters, source: TypeSource) => DataType;

/** For each type of the format, its number of children (any if omitted) and its constructor. */
const TYPES: Readonly<Record<number, { readonly children?: number; readonly make: Make }>> = {
  1: { children: 0, make: () => new Null() },
  2: { children: 0, make: intType },
  3: { children: 0, make: (p) => new Float(p.unit(0, 0, 2)) },
  4: { children: 0, make: () => new Binary() },
  5: { children: 0, make: () => new Utf8() },
  6: { children: 0, make: () => new Bool() },
  7: { children: 0, make: decimalType },
  8: { children: 0, make: (p) => new Date_(p.unit(0, 1, 1)) },
  9: { children: 0, make: timeType },
  10: { children: 0, make: (p) => new Timestamp(p.unit(0, 0, 3), p.text(1) ?? null) },
  11: { children: 0, make: (p) => new Interval(p.unit(0, 0, 2)) },
  12: { children: 1, make: (_, { children }) => new List(children[0]) },
  13: { make: (_, { children }) => new Struct([...children]) },
  14: { make: unionType },
  15: { children: 0, make: (p) => new FixedSizeBinary(p.size(0)) },
  16: { children: 1, make: (p, { children }) => new FixedSizeList(p.size(0), children[0]) },
  17: { children: 1, make: mapType },
  18: { children: 0, make: (p) => new Duration(p.unit(0, 1, 3)) },
  19: { children: 0, make: () => new LargeBinary() },
  20: { children: 0, make: () => new LargeUtf8() },
  21: { children: 1, make: (_, { children }) => new LargeList(children[0]) },
  23: { children: 0, make: () => new BinaryView() },
  24: { children: 0, make: () => new Utf8View() },
};

const UNSUPPORTED: Readonly<Record<number, string>> = { 22: "RunEndEncoded", 25: "ListView", 26: "LargeListView" };

/** The parameters of a type; absent ones have the format's defaults. */
class Parameters {
  constructor(
    private readonly table: FlatTable | undefined,
    private readonly source: TypeSource,
  ) {}

  /** A member of an enumeration from 0 to `last`. */
  unit(field: number, absent: number, last: number): number {
    const unit = this.table?.int16(field, absent) ?? absent;
    if (unit < 0 || unit > last) throw this.fault(`a unit of ${unit}, which is not defined`);
    return unit;
  }

  int(field: number, absent: number): number {
    return this.table?.int32(field, absent) ?? absent;
  }

  size(field: number): number {
    const size = this.int(field, 0);
    if (size < 0) throw this.fault(`values of size ${size}`);
    return size;
  }

  flag(field: number): boolean {
    return this.table?.bool(field) ?? false;
  }

  text(field: number): string | undefined {
    return this.table?.text(field, "refuse");
  }

  ints(field: number): number[] | undefined {
    const items = this.table?.structs(field, 4);
    return items && Array.from({ length: items.count }, (_, i) => items.int32(i, 0));
  }

  fault(what: string): Error {
    const { path, at } = this.source;
    return badArrow(`column ${columnName(path)} declares ${what}`, { at, column: path.join(".") });
  }
}

/**
 * The type of a column, with validated parameters.
 *
 * @throws {DataError} BadArrow, UnsupportedArrow
 */
export function typeOf(source: TypeSource): DataType {
  const { id, table, children, path, at } = source;
  const parameters = new Parameters(table, source);
  const type = TYPES[id];
  if (type === undefined) {
    if (UNSUPPORTED[id] === undefined) throw parameters.fault(`the unknown type ${id}`);
    const hint = "Cast the column to a plain type or list before writing it.";
    throw unsupportedArrow(
      `column ${columnName(path)} is of type ${UNSUPPORTED[id]}`,
      { at, column: path.join(".") },
      hint,
    );
  }
  // A missing parameter has its default; the table that holds them is never missing.
  if (table === undefined) throw parameters.fault("a type without the table of its parameters");
  if (type.children !== undefined && type.children !== children.length) {
    throw parameters.fault(`${children.length} children where its type has ${type.children}`);
  }
  return type.make(parameters, source);
}

/** The integer type of a column or of dictionary indices. */
function intType(parameters: Parameters): Int {
  const width = parameters.int(0, 0);
  if (width !== 8 && width !== 16 && width !== 32 && width !== 64) {
    throw parameters.fault(`integers of ${width} bits`);
  }
  return new Int(parameters.flag(1), width);
}

/** The type of dictionary indices; signed 32-bit by default. */
export function indexType(table: FlatTable | undefined, source: TypeSource): Int {
  return table === undefined ? new Int(true, 32) : intType(new Parameters(table, source));
}

function decimalType(parameters: Parameters): Decimal {
  const width = parameters.int(2, 128);
  if (![32, 64, 128, 256].includes(width)) throw parameters.fault(`decimals of ${width} bits`);
  const precision = parameters.int(0, 0);
  const scale = parameters.int(1, 0);
  if (precision < 1 || precision > MOST_DIGITS) throw parameters.fault(`decimals of ${precision} digits`);
  if (Math.abs(scale) > MOST_DIGITS) throw parameters.fault(`decimals of scale ${scale}`);
  return new Decimal(scale, precision, width);
}

function timeType(parameters: Parameters): Time {
  const unit = parameters.unit(0, 1, 3);
  const width = parameters.int(1, 32);
  // Seconds and milliseconds of a day need 32 bits, microseconds and nanoseconds 64.
  if (width !== (unit < 2 ? 32 : 64)) throw parameters.fault(`times of ${width} bits for unit ${unit}`);
  return new Time(unit, width);
}

function unionType(parameters: Parameters, { children }: TypeSource): Union {
  const mode = parameters.unit(0, 0, 1);
  const declared = parameters.ints(1);
  const ids = declared === undefined || declared.length === 0 ? children.map((_, i) => i) : declared;
  if (ids.length !== children.length) throw parameters.fault(`${ids.length} type ids for ${children.length} children`);
  if (new Set(ids).size !== ids.length || ids.some((id) => id < 0 || id > MAX_TYPE_ID)) {
    throw parameters.fault(`the type ids ${ids.slice(0, 10).join(", ")}; they must differ and be 0 to ${MAX_TYPE_ID}`);
  }
  return new Union(mode, ids, [...children]);
}

function mapType(parameters: Parameters, { children: [entries] }: TypeSource): Map_ {
  const { type } = entries as Field;
  if (type.typeId !== Type.Struct || type.children.length !== 2) {
    throw parameters.fault("a map whose entries are not pairs of a key and a value");
  }
  return new Map_(entries as never, parameters.flag(0));
}

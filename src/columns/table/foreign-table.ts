import { DataError, InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { DECIMAL128_DIGITS } from "../../value/decimal.js";
import { WIDEST_SCALE } from "../../value/write-decimal.js";
import {
  Binary,
  BinaryView,
  Bool,
  Data,
  DataType,
  Date_,
  DateDay,
  DateUnit,
  Decimal,
  Dictionary,
  Duration,
  Field,
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
  makeData,
  Null,
  Schema,
  Struct,
  Table,
  Time,
  Timestamp,
  Type,
  Union,
  Utf8,
  Utf8View,
  Vector,
} from "../arrow/arrow.js";
import { validityBits } from "../arrow/bits.js";
import { chunkReader, validity } from "../arrow/cell-reader.js";
import { withIndexNulls } from "../arrow/index-nulls.js";
import { instantsOf } from "../arrow/instants.js";
import { emptyData, recordBatch } from "../arrow/record-batch.js";
import { checkForeign } from "./check-foreign.js";
import { withoutDictionary } from "./take.js";

/**
 * Converts any Arrow table, record batch or object with a `table` to a table of this package's copy of the Arrow
 * library, without copying data. Tables of another copy (CommonJS beside ESM, another version) look alike but are
 * misread. Offsets, dictionary indices, views and unions of foreign tables are validated.
 *
 * @throws {InputError} BadArgument for a value that is not an Arrow table, DifferentLength for unequal column lengths
 * @throws {DataError} BadDictionaryIndex, BadArrow for values that point outside their buffers
 */
export function adopt(value: unknown): Table {
  const table = tableIn(value);
  if (!isTableLike(table)) {
    throw new InputError(`Expected an Arrow table; got ${nameOf(value)}.`, {
      code: "BadArgument",
      hint: hintFor(value),
    });
  }
  const own = withOwnTypes(isOwn(table) ? (table as Table) : rebuild(table));
  for (const batch of own.batches) {
    batch.data.children.forEach((data, i) => {
      if (data.length !== batch.numRows) {
        const name = own.schema.fields[i].name;
        const message = `Column ${JSON.stringify(name)} has ${data.length} rows, its batch ${batch.numRows}.`;
        throw new InputError(message, { code: "DifferentLength", column: name });
      }
      checkForeign(data, own.schema.fields[i].name);
    });
  }
  return withOwnLayouts(own);
}

/**
 * The table in the layouts that every method supports: rows of null entries of dictionaries are nulls, see
 * {@link withIndexNulls}; dictionaries of other values than text are these values, dates in milliseconds whole days,
 * and decimals of a negative scale have all their digits.
 *
 * @throws {DataError} Overflow for a decimal of more than 76 digits
 */
export function withOwnLayouts(table: Table): Table {
  const { fields, metadata } = table.schema;
  const types = fields.map(({ type }) => ownLayout(type));
  const schema = types.every((type, i) => type === fields[i].type)
    ? table.schema
    : new Schema(
        fields.map((field, i) => field.clone({ type: types[i] })),
        metadata,
      );
  let changed = schema !== table.schema;
  const batches = table.batches.map((batch) => {
    const children = batch.data.children.map((data, i) => {
      // The library makes columns without rows that lack their buffers.
      const rows = batch.numRows === 0 ? emptyData(fields[i].type) : withIndexNulls(data);
      const plain =
        DataType.isDictionary(fields[i].type) && types[i] !== fields[i].type ? withoutDictionary(rows) : rows;
      if (isMilliseconds(plain.type)) return wholeDays(plain);
      return isRounded(plain.type) ? wholeNumbers(plain, types[i] as Decimal, fields[i].name) : plain;
    });
    if (schema === table.schema && children.every((data, i) => data === batch.data.children[i])) return batch;
    changed = true;
    return recordBatch(schema, children, batch.numRows);
  });
  return changed ? new Table(schema, batches) : table;
}

const TEXTS: ReadonlySet<Type> = new Set([Type.Utf8, Type.LargeUtf8, Type.Utf8View]);

function ownLayout(type: DataType): DataType {
  if (isMilliseconds(type)) return new DateDay();
  if (isRounded(type)) {
    const precision = Math.min(WIDEST_SCALE, type.precision - type.scale);
    return new Decimal(0, precision, precision > DECIMAL128_DIGITS ? 256 : 128);
  }
  if (!DataType.isDictionary(type) || TEXTS.has(type.dictionary.typeId)) return type;
  return ownLayout(type.dictionary);
}

const isMilliseconds = (type: DataType): boolean => DataType.isDate(type) && type.unit === DateUnit.MILLISECOND;

/** Decimals of tens, hundreds and so on. */
const isRounded = (type: DataType): type is Decimal => DataType.isDecimal(type) && type.scale < 0;

function wholeNumbers(data: Data, type: Decimal, column: string): Data {
  const { valid, text } = chunkReader(data);
  const stride = type.bitWidth / 32;
  const words = new Uint32Array(data.length * stride);
  for (let row = 0; row < data.length; row++) {
    if (!valid(row)) continue;
    let units = BigInt(text(row));
    if (text(row).replace("-", "").length > type.precision) {
      throw new DataError(
        `A value of column ${JSON.stringify(column)} has more than ${type.precision} digits: ${units}.`,
        {
          code: "Overflow",
          column,
          row,
          hint: "Store it as text or as a double.",
        },
      );
    }
    for (let k = 0; k < stride; k++, units >>= 32n) words[row * stride + k] = Number(BigInt.asUintN(32, units));
  }
  return makeData({ type, length: data.length, data: words, nullBitmap: validityBits(data) });
}

function wholeDays(data: Data): Data {
  const { days } = instantsOf(data);
  const valid = validity(data);
  const values = Int32Array.from({ length: data.length }, (_, i) => (valid(i) ? days(i) : 0));
  return makeData({ type: new DateDay(), length: data.length, data: values, nullBitmap: validityBits(data) });
}

/**
 * The table of an object that holds one as `table`, such as a frame from the other module format of this package, or of
 * a single record batch.
 */
function tableIn(value: unknown): unknown {
  if (typeof value !== "object" || value === null || isTableLike(value)) return value;
  const { table, schema, data } = value as { table?: unknown; schema?: unknown; data?: Partial<Data> };
  if (isTableLike(table)) return table;
  const batched = { schema, batches: [value] };
  return Array.isArray(data?.children) && isTableLike(batched) ? batched : value;
}

/** What tables of all copies of the Arrow library have in common. */
interface TableLike {
  readonly schema: { readonly fields: readonly FieldLike[]; readonly metadata?: Map<string, string> };
  readonly batches: readonly { readonly numRows: number; readonly data: Data }[];
}

interface FieldLike {
  readonly name: string;
  readonly type: DataType;
  readonly nullable: boolean;
  readonly metadata?: Map<string, string>;
}

function isTableLike(value: unknown): value is TableLike {
  if (typeof value !== "object" || value === null) return false;
  const { schema, batches } = value as Partial<TableLike>;
  return (
    Array.isArray(schema?.fields) &&
    Array.isArray(batches) &&
    batches.every((batch) => Array.isArray((batch as { data?: Data }).data?.children))
  );
}

function isOwn(table: TableLike): boolean {
  return (
    Object.getPrototypeOf(table) === Table.prototype &&
    table.schema.fields.every((field) => isOwnType(field.type)) &&
    table.batches.every((batch) => batch.data.children.every((data) => isOwnType(data.type)))
  );
}

/** `instanceof DataType` distinguishes copies of the library; for Table, Vector and Data it accepts all copies. */
function isOwnType(type: DataType): boolean {
  return type instanceof DataType && (type.children ?? []).every((child) => isOwnType(child.type));
}

/**
 * Corrects the types of columns that share a name: Arrow's reader gives them the type of the last one, but their data
 * keep the right one.
 */
function withOwnTypes(table: Table): Table {
  const [first] = table.batches;
  if (first === undefined) return table;
  const { fields, metadata } = table.schema;
  const types = first.data.children.map((data) => data.type);
  if (
    types.every((type, i) => type === fields[i].type || new Set(fields.map(({ name }) => name)).size === fields.length)
  ) {
    return table;
  }
  const schema = new Schema(
    fields.map((field, i) => field.clone({ type: types[i] })),
    metadata,
  );
  return new Table(
    schema,
    table.batches.map((batch) => recordBatch(schema, batch.data.children, batch.numRows)),
  );
}

function rebuild(table: TableLike): Table {
  const schema = new Schema(table.schema.fields.map(ownField), new Map(table.schema.metadata ?? []));
  const vectors = new Map<unknown, Vector>();
  const batches = table.batches.map((batch) => {
    const children = batch.data.children.map((data, i) => ownData(data, schema.fields[i].type, vectors));
    return recordBatch(schema, children, batch.numRows);
  });
  return new Table(schema, batches);
}

function ownField(field: FieldLike): Field {
  return new Field(field.name, ownType(field.type), field.nullable, new Map(field.metadata ?? []));
}

/** The parameters of a type of any copy of the library. */
type Parameters = Readonly<Record<string, never>>;

/** Makes the types of our copy from their parameters and the fields of their children. */
const OWN_TYPES: Readonly<Record<number, (from: Parameters, fields: () => Field[]) => DataType>> = {
  [Type.Null]: () => new Null(),
  [Type.Int]: (t) => new Int(t["isSigned"], t["bitWidth"]),
  [Type.Float]: (t) => new Float(t["precision"]),
  [Type.Binary]: () => new Binary(),
  [Type.LargeBinary]: () => new LargeBinary(),
  [Type.BinaryView]: () => new BinaryView(),
  [Type.Utf8]: () => new Utf8(),
  [Type.LargeUtf8]: () => new LargeUtf8(),
  [Type.Utf8View]: () => new Utf8View(),
  [Type.Bool]: () => new Bool(),
  [Type.Decimal]: (t) => new Decimal(t["scale"], t["precision"], t["bitWidth"]),
  [Type.Date]: (t) => new Date_(t["unit"]),
  [Type.Time]: (t) => new Time(t["unit"], t["bitWidth"]),
  [Type.Timestamp]: (t) => new Timestamp(t["unit"], t["timezone"]),
  [Type.Interval]: (t) => new Interval(t["unit"]),
  [Type.Duration]: (t) => new Duration(t["unit"]),
  [Type.FixedSizeBinary]: (t) => new FixedSizeBinary(t["byteWidth"]),
  [Type.List]: (_, fields) => new List(fields()[0]),
  [Type.LargeList]: (_, fields) => new LargeList(fields()[0]),
  [Type.FixedSizeList]: (t, fields) => new FixedSizeList(t["listSize"], fields()[0]),
  [Type.Struct]: (_, fields) => new Struct(fields()),
  [Type.Map]: (t, fields) => new Map_(fields()[0] as never, t["keysSorted"]),
  [Type.Union]: (t, fields) => new Union(t["mode"], t["typeIds"], fields()),
  [Type.Dictionary]: (t) =>
    new Dictionary(ownType(t["dictionary"]), ownType(t["indices"]) as never, null, t["isOrdered"]),
};

function ownType(type: DataType): DataType {
  const make = OWN_TYPES[type.typeId];
  if (make === undefined) {
    throw new InputError(`Arrow type ${String(type)} is not supported.`, { code: "UnsupportedType" });
  }
  return make(type as unknown as Parameters, () => (type.children as unknown as FieldLike[]).map(ownField));
}

/** The same buffers under our type. A dictionary that several columns share becomes one vector. */
function ownData(data: Data, type: DataType, vectors: Map<unknown, Vector>): Data {
  const children = (data.children ?? []).map((child, i) => {
    return ownData(child, (type.children as unknown as FieldLike[])[i].type, vectors);
  });
  let dictionary: Vector | undefined;
  if (type.typeId === Type.Dictionary && data.dictionary) {
    dictionary = vectors.get(data.dictionary);
    if (dictionary === undefined) {
      const values = (type as unknown as Dictionary).dictionary as DataType;
      dictionary = new Vector(data.dictionary.data.map((chunk) => ownData(chunk as Data, values, vectors)));
      vectors.set(data.dictionary, dictionary);
    }
  }
  const { valueOffsets, values, nullBitmap, typeIds, variadicBuffers } = data;
  const buffers = [valueOffsets, values, nullBitmap, typeIds] as never;
  return new Data(type, data.offset, data.length, data.nullCount, buffers, children, dictionary, variadicBuffers);
}

function nameOf(value: unknown): string {
  if (isPromise(value)) return "a promise";
  if (Array.isArray(value)) return "an array";
  return value instanceof Uint8Array ? "bytes" : shown(value);
}

function hintFor(value: unknown): string {
  if (isPromise(value)) return "Await it first: await service.table(…).frame().";
  if (Array.isArray(value)) return "Frame.fromRows(rows) takes an array of objects.";
  if (value instanceof Uint8Array) return "Frame.fromArrow(bytes) takes the bytes of an Arrow file or stream.";
  return "Pass a table or a record batch of apache-arrow, or a frame.";
}

const isPromise = (value: unknown): boolean => typeof (value as { then?: unknown } | null)?.then === "function";

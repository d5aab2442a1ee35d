/**
 * The only module that imports the Arrow library. `RecordBatch` is exported as a type only: record batches are built by
 * `recordBatch`, because Arrow's own constructor mixes up columns that share a name.
 */
import { DataType, Dictionary, type Field, Schema as LibrarySchema } from "apache-arrow";

export type { RecordBatch } from "apache-arrow";
export {
  AsyncByteQueue,
  Binary,
  BinaryView,
  Bool,
  Data,
  DataType,
  Date_,
  DateDay,
  DateMillisecond,
  DateUnit,
  Decimal,
  Dictionary,
  Duration,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float,
  Float32,
  Float64,
  Int,
  Int8,
  Int16,
  Int32,
  Int64,
  Interval,
  LargeBinary,
  LargeList,
  LargeUtf8,
  List,
  Map_,
  makeData,
  makeVector,
  Null,
  RecordBatchFileWriter,
  RecordBatchStreamWriter,
  Struct,
  Table,
  Time,
  TimeMicrosecond,
  TimeMillisecond,
  TimeNanosecond,
  Timestamp,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  TimeUnit,
  Type,
  tableFromArrays,
  Uint8,
  Uint16,
  Uint64,
  Union,
  UnionMode,
  Utf8,
  Utf8View,
  Vector,
  vectorFromArray,
} from "apache-arrow";

/**
 * The library's schema, of fields whose dictionaries may have one id by accident, as those of two files have. Not a
 * subclass: the library compares the classes of schemas.
 */
export type Schema = LibrarySchema;
export const Schema = new Proxy(LibrarySchema, {
  construct: (library, [fields = [], metadata]: [Field[]?, Map<string, string>?]) =>
    new library(withDistinctIds(fields, new Map()), metadata),
});

/** The fields with a new id for each dictionary whose id is that of an earlier one; the library refuses these. */
function withDistinctIds(fields: readonly Field[], values: Map<number, DataType>): Field[] {
  return fields.map((field) => {
    const type = withDistinctId(field.type, values);
    return type === field.type ? field : field.clone({ type });
  });
}

function withDistinctId(type: DataType, values: Map<number, DataType>): DataType {
  if (DataType.isDictionary(type)) {
    const { dictionary, indices, isOrdered } = type;
    const inner = withDistinctId(dictionary, values);
    let own = inner === dictionary ? type : new Dictionary(inner, indices, null, isOrdered);
    while (values.has(own.id) && values.get(own.id) !== inner) own = new Dictionary(inner, indices, null, isOrdered);
    values.set(own.id, inner);
    return own;
  }
  const before: readonly Field[] = type.children ?? [];
  const children = withDistinctIds(before, values);
  if (children.every((child, i) => child === before[i])) return type;
  return Object.assign(Object.create(Object.getPrototypeOf(type) as object) as DataType, type, { children });
}

import { RecordBatch } from "apache-arrow";
import { Data, DataType, type Dictionary, type Field, makeData, type Schema, Struct, Type, Vector } from "./arrow.js";

/**
 * A record batch of finished columns under exactly this schema. This is the only caller of Arrow's constructor, which
 * builds a new schema and merges fields of the same name; here the batch keeps the schema that was passed, so that all
 * batches of one reader share it.
 */
export function recordBatch(schema: Schema, children: readonly Data[], rows: number): RecordBatch {
  const type = new Struct(schema.fields);
  const data = makeData({ type, length: rows, nullCount: 0, children: [...children] });
  const batch = new RecordBatch(schema, data);
  return Object.assign(batch, { schema, data });
}

/** A slice of a column; shares its buffers. Arrow leaves nullCount at -1, permanently where there is no bitmap. */
export function sliceData(data: Data, from: number, length: number): Data {
  const slice = data.slice(from, length);
  return DataType.isNull(data.type) ? slice.clone(slice.type, slice.offset, length, length) : slice;
}

/** An empty column of a type, with all of its buffers and children. */
export function emptyData(type: DataType): Data {
  const isDictionary = type.typeId === Type.Dictionary;
  const children = isDictionary ? [] : (type.children ?? []).map((child: Field) => emptyData(child.type));
  const dictionary = isDictionary ? new Vector([emptyData((type as unknown as Dictionary).dictionary)]) : undefined;
  return new Data(type, 0, 0, 0, buffersOf(type) as never, children, dictionary);
}

/** Empty buffers in Arrow's order: offsets, values, validity, type ids. */
function buffersOf(type: DataType): readonly (ArrayBufferView | undefined)[] {
  const { OffsetArrayType: offsets, ArrayType: values } = type as unknown as {
    readonly OffsetArrayType: new (length: number) => ArrayBufferView;
    readonly ArrayType: new (length: number) => ArrayBufferView;
  };
  switch (type.typeId) {
    case Type.Null:
    case Type.Struct:
    case Type.FixedSizeList:
      return [];
    case Type.List:
    case Type.LargeList:
    case Type.Map:
      return [new offsets(1)];
    case Type.Utf8:
    case Type.Binary:
    case Type.LargeUtf8:
    case Type.LargeBinary:
      return [new offsets(1), new Uint8Array(0)];
    case Type.Union:
      return [new Int32Array(0), undefined, undefined, new Int8Array(0)];
    case Type.Dictionary:
      return [undefined, new ((type as unknown as Dictionary).indices.ArrayType as typeof Int32Array)(0)];
    default:
      return [undefined, new values(0)];
  }
}

import { Data, type DataType, type Dictionary, type Field, Type, Vector } from "./arrow.js";

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

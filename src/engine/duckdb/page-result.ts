import {
  type Data,
  DataType,
  Decimal,
  Field,
  Float64,
  Int64,
  makeData,
  Schema,
  type Table,
  Timestamp,
  Type,
  Vector,
} from "../../columns/arrow/arrow.js";
import { TYPE_KEY } from "../../columns/arrow/schema.js";
import { tableOfVectors } from "../../columns/table/of-vectors.js";
import { infinityError } from "./error.js";

/** A column of a result, and its type in the engine. */
export interface DescribedColumn {
  readonly name: string;
  readonly type: string;
}

/**
 * The result under the Arrow types that the embedded engine of Node gives.
 *
 * @param described the columns of the result, if they are known
 * @param wide the service types of columns that the engine stores as text
 */
export function shapedResult(
  result: Table,
  described: readonly DescribedColumn[],
  wide: readonly (string | undefined)[],
): Table {
  const names = result.schema.fields.map(({ name }, at) => described[at]?.name ?? name);
  const vectors = names.map((name, at) => {
    const chunks = (result.getChildAt(at) as Vector).data as readonly Data[];
    return new Vector(chunks.map((data) => shaped(data, name)));
  });
  const fields = vectors.map(({ type }, at) => {
    const service = DataType.isUtf8(type) ? wide[at] : undefined;
    return new Field(names[at], type, true, service === undefined ? undefined : new Map([[TYPE_KEY, service]]));
  });
  return tableOfVectors(new Schema(fields), vectors, result.numRows);
}

/** A chunk under the type of the embedded engine: integers of 64 bits, doubles, timestamps in UTC. */
function shaped(data: Data, name: string): Data {
  const { values } = data;
  switch (data.type.typeId) {
    case Type.Int:
      return shapedIntegers(data);
    case Type.Float:
      return of(data, new Float64(), Float64Array.from(values as Float32Array));
    case Type.Date:
      refuseInfinity(data, name, 0x7fff_ffff);
      return data;
    case Type.Timestamp:
      refuseInfinity(data, name, 0x7fff_ffff_ffff_ffffn);
      return data.clone(new Timestamp((data.type as Timestamp).unit, "UTC"));
    default:
      return data;
  }
}

function shapedIntegers(data: Data): Data {
  const { isSigned, bitWidth } = data.type as unknown as { isSigned: boolean; bitWidth: number };
  if (bitWidth < 64) return of(data, new Int64(), BigInt64Array.from(data.values as Int32Array, BigInt));
  if (isSigned) return data;
  // A decimal of 128 bits: two of 64, the low one first.
  const cells = new BigUint64Array(data.length * 2);
  for (let i = 0; i < data.length; i++) cells[2 * i] = data.values[i];
  return of(data, new Decimal(0, 20, 128), new Uint32Array(cells.buffer));
}

const of = ({ length, nullCount, nullBitmap }: Data, type: DataType, data: ArrayBufferView): Data =>
  makeData({ type, length, nullCount, nullBitmap, data } as never);

/** @throws {DataError} BadCell for the numbers of the engine that are infinite dates and timestamps */
function refuseInfinity(data: Data, column: string, infinity: number | bigint): void {
  const values = data.values as ArrayLike<number | bigint>;
  for (let i = 0; i < data.length; i++) {
    const value = values[i];
    if ((value === infinity || value === -infinity) && data.getValid(i)) throw infinityError(column, value > 0);
  }
}

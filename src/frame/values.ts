import { type Data, DataType, type Field, makeData, makeVector, Vector } from "../columns/arrow.js";
import { fieldOf } from "../columns/schema.js";
import { InputError } from "../errors/errors.js";
import type { ColumnSpec } from "../spec/columns.js";
import { Column } from "./column.js";

/** A column made of JavaScript values: its field (name, Arrow type, service type) and its values. */
export interface MadeColumn {
  readonly field: Field;
  readonly vector: Vector;
}

/** A column from values: a column, an Arrow vector or a typed array is taken as it is, numbers and nulls become `double`. */
export function columnOfValues(name: string, values: Column | Vector | ArrayLike<unknown>): MadeColumn {
  if (values instanceof Column) {
    return { field: retyped(fieldOf({ name, type: values.type }), values.vector), vector: values.vector };
  }
  if (values instanceof Vector) return fromVector(name, values);
  if (ArrayBuffer.isView(values)) return fromVector(name, makeVector(values as unknown as Float64Array));
  const wrong = Array.from(values).findIndex((value) => typeof (value ?? 0) !== "number");
  if (wrong === -1) return doubles({ name, type: "double" }, values as ArrayLike<number | null>);
  throw new InputError(`Value ${wrong} of the new column ${JSON.stringify(name)} is no number.`, {
    code: "MixedTypes",
    row: wrong,
    column: name,
  });
}

function fromVector(name: string, vector: Vector): MadeColumn {
  const type = DataType.isFloat(vector.type) ? "double" : DataType.isInt(vector.type) ? "Integer" : undefined;
  const field = fieldOf({ name, type: type ?? "String" });
  if (type === undefined) field.metadata.clear();
  return { field: retyped(field, vector), vector };
}

const retyped = (field: Field, vector: Vector): Field => field.clone({ type: vector.type });

function doubles(spec: ColumnSpec, values: ArrayLike<number | null | undefined>): MadeColumn {
  const data = new Float64Array(values.length);
  const nullBitmap = new Uint8Array(((values.length + 63) & ~63) >> 3);
  let nullCount = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === null || value === undefined) {
      nullCount++;
      continue;
    }
    data[i] = value;
    nullBitmap[i >> 3] |= 1 << (i & 7);
  }
  const field = fieldOf(spec);
  const validity = nullCount === 0 ? { nullCount } : { nullCount, nullBitmap };
  const made: Data = makeData({ type: field.type, length: values.length, data, ...validity } as never);
  return { field, vector: new Vector([made]) };
}

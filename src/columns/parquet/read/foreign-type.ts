import {
  Binary,
  Data,
  type DataType,
  type Time,
  TimeMicrosecond,
  TimeMillisecond,
  TimeNanosecond,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  Type,
} from "../../arrow/arrow.js";
import type { Leaf } from "./format/types.js";

const TIMES = { MILLIS: TimeMillisecond, MICROS: TimeMicrosecond, NANOS: TimeNanosecond };
const TIMESTAMPS = { MILLIS: TimestampMillisecond, MICROS: TimestampMicrosecond, NANOS: TimestampNanosecond };

/**
 * Arrow's type of a leaf where it is not the one of a service type: bytes, times of day, and timestamps in their own
 * unit, with or without a time zone.
 *
 * @param zone the name of the time zone of timestamps that have one; Parquet stores none
 */
export function foreignType({ meaning }: Leaf, zone = "UTC"): DataType | undefined {
  switch (meaning.kind) {
    case "bytes":
      return new Binary();
    case "time":
      return new TIMES[meaning.unit]();
    case "timestamp":
      return new TIMESTAMPS[meaning.unit](meaning.utc ? zone : null);
    default:
      return undefined;
  }
}

/** A column of texts or integers under the Arrow type that its values have: bytes, or times of a day. */
export function retyped(data: Data, type: DataType): Data {
  const { length, nullCount, nullBitmap: validity } = data;
  if (type.typeId === Type.Binary)
    return new Data(type, 0, length, nullCount, [data.valueOffsets, data.values, validity]);
  const values = data.values as BigInt64Array;
  const isNarrow = (type as Time).bitWidth === 32;
  return new Data(type, 0, length, nullCount, [
    undefined,
    isNarrow ? Int32Array.from(values, Number) : values,
    validity,
  ]);
}

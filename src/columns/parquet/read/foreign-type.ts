import {
  Binary,
  type DataType,
  TimeMicrosecond,
  TimeMillisecond,
  TimeNanosecond,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
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

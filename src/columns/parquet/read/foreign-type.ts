import { Binary, type DataType, TimeMicrosecond, TimeMillisecond, TimeNanosecond } from "../../arrow/arrow.js";
import type { Leaf } from "./format/types.js";

/** Arrow's type of a leaf that no service type holds. */
export function foreignType({ meaning }: Leaf): DataType | undefined {
  if (meaning.kind === "bytes") return new Binary();
  if (meaning.kind !== "time") return undefined;
  if (meaning.unit === "MILLIS") return new TimeMillisecond();
  return meaning.unit === "MICROS" ? new TimeMicrosecond() : new TimeNanosecond();
}

import { hexText } from "../../../../platform/node/bytes.js";
import { formatDate } from "../../../../value/date.js";
import { unscaledText } from "../../../../value/decimal.js";
import { formatNumber } from "../../../../value/number.js";
import { formatTimestamp } from "../../../../value/timestamp.js";
import type { Leaf, TimeUnit } from "./types.js";

/** Units of each in a millisecond. */
const PER_MS: Readonly<Record<TimeUnit, bigint>> = { MILLIS: 1n, MICROS: 1_000n, NANOS: 1_000_000n };

/** Units of a timestamp in a millisecond. */
const unitsPerMs = ({ meaning }: Leaf): bigint => ("unit" in meaning ? PER_MS[meaning.unit] : 1n);

/** The service type that holds what a leaf holds. */
export function serviceType({ meaning }: Leaf): string {
  switch (meaning.kind) {
    case "boolean":
      return "Boolean";
    case "integer":
      return meaning.bits === 64 && !meaning.signed ? "BigDecimal(20,0)" : "Integer";
    case "decimal":
      return `BigDecimal(${meaning.precision},${meaning.scale})`;
    case "float":
    case "double":
    case "float16":
      return "double";
    case "date":
      return "Date";
    case "timestamp":
      return "DateTime";
    case "time":
      // The integers of a time: its type is Arrow's own.
      return "Integer";
    case "text":
    case "uuid":
    case "bytes":
    case "null":
      return "String";
  }
}

/** Whether no service type holds a leaf: bytes without a meaning and times of a day are of Arrow's own types. */
export const isForeign = ({ meaning }: Leaf): boolean => meaning.kind === "bytes" || meaning.kind === "time";

/** How an integer of a leaf is spelt so that its service type reads it. */
export function integerText(leaf: Leaf): (value: bigint) => string {
  const { meaning } = leaf;
  switch (meaning.kind) {
    case "decimal":
      return (value) => unscaledText(value.toString(), meaning.scale);
    case "date":
      return (value) => formatDate(Number(value));
    case "timestamp": {
      const perMs = unitsPerMs(leaf);
      return (value) => instantText(value, perMs);
    }
    default:
      return String;
  }
}

/** How a double of a leaf is spelt. */
export const doubleText = formatNumber;

/** A timestamp with every digit of its unit. */
function instantText(value: bigint, perMs: bigint): string {
  const rest = ((value % perMs) + perMs) % perMs;
  const text = formatTimestamp(Number((value - rest) / perMs));
  if (rest === 0n) return text;
  const whole = text.includes(".") ? text.slice(0, -1) : `${text.slice(0, -1)}.000`;
  return `${whole}${rest.toString().padStart(perMs.toString().length - 1, "0")}Z`;
}

export function uuidText(bytes: Uint8Array): string {
  const hex = hexText(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

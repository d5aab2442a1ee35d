import type { Bounds } from "../../predicate/predicate.js";
import { bigEndian } from "../big-endian.js";
import type { Leaf, Statistics } from "./format/types.js";

/** Bounds of the values of a column in a row group. */
interface GroupBounds extends Bounds {
  /** No row has a value. */
  readonly isEmpty: boolean;
}

/** What the footer says about the values of a chunk; bounds whose order writers disagree on count as unknown. */
export function boundsOf(statistics: Statistics | undefined, leaf: Leaf, rows: number): GroupBounds {
  if (statistics === undefined) return { least: undefined, most: undefined, isEmpty: false };
  const { min, max, nullCount, old } = statistics;
  const isEmpty = nullCount === rows && rows > 0;
  if (old && !isSigned(leaf)) return { least: undefined, most: undefined, isEmpty };
  const [least, most] = [boundOf(min, leaf), boundOf(max, leaf)];
  // Bounds beside NaN, or the wrong way round, say nothing.
  const isOrdered = !(typeof least === "number" && typeof most === "number") || least <= most;
  return isOrdered ? { least, most, isEmpty } : { least: undefined, most: undefined, isEmpty };
}

/** Whether the older fields order the values of a leaf as it does. */
function isSigned({ type, meaning }: Leaf): boolean {
  if (meaning.kind === "integer" && !meaning.signed) return false;
  return type === "INT32" || type === "INT64" || type === "FLOAT" || type === "DOUBLE";
}

function boundOf(bytes: Uint8Array | undefined, leaf: Leaf): Bounds["least"] {
  if (bytes === undefined) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { type, meaning, width } = leaf;
  switch (type) {
    case "FLOAT":
      return bytes.length === 4 ? known(view.getFloat32(0, true)) : undefined;
    case "DOUBLE":
      return bytes.length === 8 ? known(view.getFloat64(0, true)) : undefined;
    case "INT32":
    case "INT64": {
      if (bytes.length !== (type === "INT32" ? 4 : 8)) return undefined;
      const value = type === "INT32" ? BigInt(view.getInt32(0, true)) : view.getBigInt64(0, true);
      if (meaning.kind === "integer" && !meaning.signed) return BigInt.asUintN(type === "INT32" ? 32 : 64, value);
      return value;
    }
    case "FIXED_LEN_BYTE_ARRAY":
      return meaning.kind === "decimal" && bytes.length === width ? bigEndian(bytes) : undefined;
    case "BYTE_ARRAY":
      if (meaning.kind === "decimal") return bytes.length > 0 ? bigEndian(bytes) : undefined;
      return meaning.kind === "text" ? bytes : undefined;
    default:
      return undefined;
  }
}

const known = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

import { decimalNumber, POWERS } from "../../value/decimal.js";
import { type Data, DataType, type Decimal } from "../arrow/arrow.js";
import { validityBits } from "../arrow/bits.js";
import { columnProgram } from "./column-program.js";

/** Values converted by one call of the program. */
const CALL = 8_192;
const BYTES = 16;
/** For fewer rows, compiling the program costs more. */
const LEAST_ROWS = 16_384;
/** Powers of ten up to this are exact doubles. */
const MOST_EXACT_POWER = 22;

/** The nearest doubles of decimals of 128 bits in enough rows, null as NaN; undefined for other columns. */
export function decimalDoubles(chunks: readonly Data[], length: number): Float64Array | undefined {
  const type = chunks[0]?.type as DataType | undefined;
  if (type === undefined || length < LEAST_ROWS || !DataType.isDecimal(type) || type.bitWidth !== 128) return undefined;
  if (type.scale < 0 || type.scale > MOST_EXACT_POWER) return undefined;
  const out = new Float64Array(length);
  let row = 0;
  for (const data of chunks) {
    convert(data as Data<Decimal>, out, row);
    const bits = validityBits(data);
    if (bits !== undefined) {
      for (let i = 0; i < data.length; i++) if ((bits[i >> 3] & (1 << (i & 7))) === 0) out[row + i] = Number.NaN;
    }
    row += data.length;
  }
  return out;
}

/** Stores the nearest doubles of a chunk of decimals of 128 bits, from `row` on; of nulls any. */
function convert({ type: { scale }, values, length }: Data<Decimal>, out: Float64Array, row: number): void {
  const { run, memory, at } = columnProgram();
  const { buffer, byteOffset } = values as Uint32Array;
  const outAt = at + CALL * BYTES;
  const results = new Float64Array(memory.buffer, outAt, CALL);
  for (let first = 0; first < length; first += CALL) {
    const count = Math.min(CALL, length - first);
    memory.set(new Uint8Array(buffer, byteOffset + first * BYTES, count * BYTES), at);
    for (let i = 0; i < count; i++) {
      i += run.doubles(at + i * BYTES, count - i, POWERS[scale], outAt + i * 8);
      if (i < count)
        results[i] = decimalNumber(new Int32Array(buffer, byteOffset + (first + i) * BYTES, 4), 0, 4, scale);
    }
    out.set(count === CALL ? results : results.subarray(0, count), row + first);
  }
}

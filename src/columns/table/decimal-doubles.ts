import { decimalNumber, POWERS } from "../../value/decimal.js";
import { type Data, DataType, type Decimal } from "../arrow/arrow.js";
import { validityBits } from "../arrow/bits.js";
import { type ColumnProgram, columnProgram } from "./column-program.js";

/** Values converted by one call of the program. */
const CALL = 8_192;
const BYTES = 16;
/** For fewer rows, compiling the program costs more. */
const LEAST_ROWS = 16_384;
/** Powers of ten up to this are exact doubles. */
const MOST_EXACT_POWER = 22;

/** Whether doubles of a type are converted in WebAssembly: decimals of 128 bits, in enough rows. */
export function areConverted(type: DataType | undefined, length: number): type is Decimal {
  if (type === undefined || length < LEAST_ROWS || !DataType.isDecimal(type) || type.bitWidth !== 128) return false;
  return type.scale >= 0 && type.scale <= MOST_EXACT_POWER && columnProgram() !== null;
}

/**
 * The nearest doubles of decimals of 128 bits, null as NaN; undefined unless {@link areConverted} is true of them.
 */
export function decimalDoubles(chunks: readonly Data[], length: number): Float64Array | undefined {
  const type = chunks[0]?.type as DataType | undefined;
  if (!areConverted(type, length)) return undefined;
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

/** Stores the nearest doubles of a chunk of a type that is {@link areConverted}, from `row` on; of nulls any. */
function convert(data: Data<Decimal>, out: Float64Array, row: number): void {
  const { memory, at } = columnProgram() as ColumnProgram;
  const outAt = at + CALL * BYTES;
  const results = new Float64Array(memory.buffer, outAt, CALL);
  for (let first = 0; first < data.length; first += CALL) {
    const count = Math.min(CALL, data.length - first);
    convertRows(data, first, count, outAt);
    out.set(count === CALL ? results : results.subarray(0, count), row + first);
  }
}

/**
 * Stores the nearest doubles of some rows, at most 8,192, of a chunk of a type that is {@link areConverted} at an
 * address of the program's memory; of nulls any.
 */
export function convertRows(data: Data<Decimal>, first: number, count: number, outAt: number): void {
  const { run, memory, at } = columnProgram() as ColumnProgram;
  const { scale } = data.type;
  const { buffer, byteOffset } = data.values as Uint32Array;
  memory.set(new Uint8Array(buffer, byteOffset + first * BYTES, count * BYTES), at);
  for (let i = 0; i < count; i++) {
    i += run.doubles(at + i * BYTES, count - i, POWERS[scale], outAt + i * 8);
    if (i === count) return;
    const words = new Int32Array(buffer, byteOffset + (first + i) * BYTES, 4);
    new Float64Array(memory.buffer, outAt + i * 8, 1)[0] = decimalNumber(words, 0, 4, scale);
  }
}

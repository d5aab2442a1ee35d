import { ArrowbookError } from "../../errors/errors.js";
import { binary } from "../../wasm/columns.wasm";
import { type Instance, instanceWith } from "../../wasm/compiled-module.js";

/** What src/wasm/columns.ts exports; its comments say what each does. */
interface Exports {
  add(left: number, right: number, step: number, count: number, out: number): void;
  choose(bits: number, count: number, from: number, step: number, width: number, out: number): void;
  clip(from: number, count: number, low: bigint, high: bigint, out: number): number;
  clipDoubles(from: number, count: number, low: number, high: number, out: number): void;
  compareDoubles(from: number, count: number, orders: number, number: number, bits: number): void;
  compareIntegers(from: number, count: number, orders: number, number: bigint, bits: number): number;
  doubles(from: number, count: number, power: number, out: number): number;
  lookUp(from: number, size: number, places: number, count: number, width: number, out: number): void;
  multiply(left: number, right: number, step: number, count: number, out: number): number;
  narrow(from: number, count: number, width: number, out: number): number;
  ofBins(
    values: number,
    count: number,
    least: number,
    scale: number,
    parts: number,
    out: number,
    outParts: number,
  ): number;
  pick(from: number, places: number, count: number, width: number, out: number): void;
  pickWidened(from: number, places: number, count: number, width: number, out: number): void;
  remainders(left: number, right: number, step: number, count: number, out: number): number;
  spread(values: number, count: number, mean: number, least: number, scale: number, bins: number, state: number): void;
  subtract(left: number, right: number, step: number, count: number, out: number): void;
  summarize(
    values: number,
    width: number,
    bits: number,
    numbers: number,
    count: number,
    row: number,
    groups: number,
  ): number;
  tally(values: number, count: number, state: number): void;
}

/** The program, its memory, and the address from which {@link WORK_BYTES} are free. */
export type ColumnProgram = Instance<Exports>;

/** Bytes for the input and output of one call. */
const WORK_BYTES = 2_375_680;

/** A program with more is not kept: its memory never shrinks. */
const MOST_KEPT = 33_554_432;

let program: ColumnProgram | undefined;
let held = 0;

/**
 * Operations on buffers in WebAssembly.
 *
 * @param bytes of memory to work on, at least {@link WORK_BYTES}
 * @throws {ArrowbookError} NoMemory
 */
export function columnProgram(bytes = 0): ColumnProgram {
  if (program !== undefined && bytes <= held) return program;
  const room = Math.max(bytes, WORK_BYTES);
  const made = instanceWith<Exports>(binary, room);
  if (made === null) throw new ArrowbookError("There is no memory to compute columns with.", { code: "NoMemory" });
  if (room <= MOST_KEPT) [program, held] = [made, room];
  return made;
}

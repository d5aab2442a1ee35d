import { binary } from "../../wasm/columns.wasm";
import { compiledModule, withMemory } from "../../wasm/compiled-module.js";

/** What src/wasm/columns.ts exports; its comments say what each does. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  start(): number;
  add(left: number, right: number, step: number, count: number, sign: number, out: number): void;
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
  spread(values: number, count: number, mean: number, least: number, scale: number, bins: number, state: number): void;
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
export interface ColumnProgram {
  readonly run: Exports;
  readonly memory: Uint8Array;
  readonly at: number;
}

/** Bytes for the input and output of one call. */
const WORK_BYTES = 2_375_680;
const PAGE = 65_536;

let program: ColumnProgram | null | undefined;

/** Operations on buffers in WebAssembly; null where it is missing, forbidden or gets no memory. */
export function columnProgram(): ColumnProgram | null {
  if (program === undefined) program = instantiated() ?? null;
  return program;
}

function instantiated(): ColumnProgram | undefined {
  const module = compiledModule(binary);
  if (module === null) return undefined;
  return withMemory(() => {
    const run = new WebAssembly.Instance(module).exports as unknown as Exports;
    const at = Math.ceil(run.start() / 64) * 64;
    run.memory.grow(Math.ceil((at + WORK_BYTES - run.memory.buffer.byteLength) / PAGE));
    return { run, memory: new Uint8Array(run.memory.buffer), at };
  });
}

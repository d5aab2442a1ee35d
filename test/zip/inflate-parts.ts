import { FAULTS, inflateProgram } from "../../src/format/inflater.js";

/** How a stream is fed and drained. */
export interface Parts {
  /** Bytes of input, and room for output, of each call. */
  readonly feed: number;
  readonly room: number;
  /** No more output than this is asked for. */
  readonly most?: number;
}

/** What became of a stream. */
export interface Inflated {
  readonly bytes: Uint8Array;
  readonly consumed: number;
  /** Undefined when the stream was read to its end. */
  readonly fault?: string;
}

const WINDOW = 32_768;
/** Bytes around input and output that must neither be read nor written. */
const GUARD = 64;
const untouched = Buffer.alloc(GUARD, 0xa5);
const LARGEST = 1 << 20;

const program = inflateProgram();
const inputAt = program === undefined ? 0 : program.start() + GUARD;
const roomAt = inputAt + LARGEST + GUARD + WINDOW;
program?.memory.grow(Math.ceil((roomAt + LARGEST + GUARD) / 65_536));
const memory = new Uint8Array(program?.memory.buffer ?? new ArrayBuffer(0));

/** Inflates by the program of src/wasm/inflate.ts, and throws when it reads or writes where it may not. */
export function inflateParts(stream: Uint8Array, { feed, room, most = Number.POSITIVE_INFINITY }: Parts): Inflated {
  let bytes = Buffer.alloc(4096);
  let fed = 0;
  let [input, inputEnd, output, history] = [inputAt, inputAt, roomAt, roomAt];
  let size = 0;
  program.reset();
  const result = (fault?: string): Inflated => ({
    bytes: bytes.subarray(0, size),
    consumed: fed - (inputEnd - input) - (program?.unused.value ?? 0),
    fault,
  });
  for (;;) {
    const roomEnd = roomAt + room;
    // Bytes after the input would change a stream that read them.
    memory.fill(fed & 1 ? 0xff : 0x5a, inputEnd, inputEnd + GUARD);
    memory.fill(0xa5, roomEnd, roomEnd + GUARD);
    const before = output;
    const state = program.inflate(input, inputEnd, output, roomEnd, history);
    input = program.input.value;
    output = program.output.value;
    if (input > inputEnd || output > roomEnd || output < before) throw new Error("It left its bounds.");
    if (untouched.compare(memory, roomEnd, roomEnd + GUARD) !== 0) throw new Error("It wrote behind the room.");
    if (size + output - before > bytes.length) {
      bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length + output - before)]);
    }
    bytes.set(memory.subarray(before, output), size);
    size += output - before;
    if (state === program.ENDED.value) return result();
    if (state === program.NEEDS_ROOM.value) {
      if (output !== roomEnd) throw new Error("It asks for room that it has.");
      if (size >= most) return result("more output than asked for");
      const kept = Math.min(WINDOW, output - history);
      history = roomAt - kept;
      memory.copyWithin(history, output - kept, output);
      output = roomAt;
    } else if (state === program.NEEDS_INPUT.value) {
      if (input !== inputEnd) throw new Error("It asks for input that it has.");
      if (fed === stream.length) return result("unexpected end of file");
      const part = stream.subarray(fed, fed + feed);
      fed += part.length;
      memory.set(part, inputAt);
      input = inputAt;
      inputEnd = inputAt + part.length;
    } else return result(FAULTS[program.fault.value]);
  }
}

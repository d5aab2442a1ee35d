// Raw deflate (RFC 1951), fed and drained in parts of any size. This is AssemblyScript: TypeScript's grammar,
// WebAssembly's types. Output is written right behind the output before it, and up to 32 KB of that is read again. What
// zlib refuses is refused. While there is enough input and room, `decodeFast` reads symbols by tables; `inflate` does
// everything else step by step.

import { blockCodes, fixedCodes, lengths } from "./inflate/block-codes";
import {
  DISTANCE_BASE, DISTANCE_BITS, distanceCode, DISTANCE_EXTRA, DISTANCE_SYMBOLS, distanceTable, END_OF_BLOCK, LENGTH_BASE, lengthCode,
  LENGTH_EXTRA, LENGTH_SYMBOLS, LONGEST_CODE, sortSymbols, SYMBOL_BITS, symbolCode, symbolTable,
} from "./inflate/codes";
import {
  BAD_DISTANCE, BAD_SYMBOL, BLOCK_TYPE, CODE_LENGTHS, REPEAT, STORED_LENGTH, TOO_FAR, TOO_MANY_SYMBOLS,
} from "./inflate/faults";
import { copyMatch } from "./bytes/copy-match";

/** What {@link inflate} returns: more input is needed, or more room; the stream has ended; it is invalid. */
export const NEEDS_INPUT: i32 = 0;
export const NEEDS_ROOM: i32 = 1;
export const ENDED: i32 = 2;
export const INVALID: i32 = 3;

/** The next part of the stream to read. */
const enum Step {
  Header,
  StoredLength,
  Stored,
  Counts,
  CodeLengths,
  Lengths,
  Repeat,
  Symbol,
  LengthExtra,
  Distance,
  DistanceExtra,
  Match,
  End,
  Invalid,
}

/** Bytes of input and room that `decodeFast` needs to begin. */
const INPUT_MARGIN: usize = 16;
const ROOM_MARGIN: usize = 336;

/** What `decode` returns instead of a symbol. */
const WAITING = -1;
const WRONG = -2;

/** The order in which the lengths of the code of code lengths come. */
const ORDER = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);

/** Where {@link inflate} has stopped reading and writing. */
export let input: usize = 0;
export let output: usize = 0;
/** Whole bytes that were read and not consumed. */
export let unused: u32 = 0;
/** The error code of a damaged stream. */
export let fault: i32 = 0;

let step = Step.Header;
let last = false;
/** Bits that were read and not consumed, and how many; those above are zero. */
let bits: u64 = 0;
let count: u32 = 0;
let inputEnd: usize = 0;
let outputEnd: usize = 0;
/** Where the output begins that may be read again. */
let history: usize = 0;
/** Code lengths of a block: how many there are of each kind, and how many are known. */
let symbols: u32 = 0;
let distances: u32 = 0;
let listed: u32 = 0;
let known: u32 = 0;
/** The symbol of {@link Step.Repeat}. */
let repeat: u32 = 0;
/** The current match or stored block. */
let length: u32 = 0;
let distance: u32 = 0;
let extra: u32 = 0;
/** The tables hold the fixed codes. */
let fixed = false;

/** Where free memory begins. */
export function start(): usize {
  return __heap_base;
}

/** Begins a new stream. */
export function reset(): void {
  step = Step.Header;
  last = false;
  bits = 0;
  count = 0;
  fault = 0;
}

/**
 * Inflates from `from`, up to `fromEnd`, to `to`, up to `toEnd`. Output since `begin`, of which the last 32 KB count,
 * precedes `to`. No byte from `toEnd` on is written; those between {@link output} and `toEnd` may be.
 */
export function inflate(from: usize, fromEnd: usize, to: usize, toEnd: usize, begin: usize): i32 {
  input = from;
  inputEnd = fromEnd;
  output = to;
  outputEnd = toEnd;
  history = begin;
  const state = run();
  unused = count >> 3;
  return state;
}

function run(): i32 {
  for (;;) {
    switch (step) {
      case Step.Header: {
        if (last) {
          step = Step.End;
          break;
        }
        if (!need(3)) return NEEDS_INPUT;
        last = take(1) != 0;
        const type = take(2);
        if (type == 3) return refuse(BLOCK_TYPE);
        if (type == 0) {
          take(count & 7);
          step = Step.StoredLength;
        } else if (type == 1) {
          if (!fixed) fixedCodes();
          fixed = true;
          step = Step.Symbol;
        } else step = Step.Counts;
        break;
      }
      case Step.StoredLength: {
        if (!need(32)) return NEEDS_INPUT;
        const both = <u32>bits;
        bits >>= 32;
        count -= 32;
        length = both & 0xffff;
        if (length != ~both >>> 16) return refuse(STORED_LENGTH);
        step = Step.Stored;
        break;
      }
      case Step.Stored: {
        for (; length > 0 && count > 0; length--) {
          if (output == outputEnd) return NEEDS_ROOM;
          store<u8>(output++, <u8>take(8));
        }
        const n = min<u32>(length, <u32>min(inputEnd - input, outputEnd - output));
        memory.copy(output, input, n);
        input += n;
        output += n;
        length -= n;
        if (length > 0) return output == outputEnd ? NEEDS_ROOM : NEEDS_INPUT;
        step = Step.Header;
        break;
      }
      case Step.Counts: {
        if (!need(14)) return NEEDS_INPUT;
        symbols = take(5) + 257;
        distances = take(5) + 1;
        listed = take(4) + 4;
        if (symbols > 286 || distances > DISTANCE_SYMBOLS) return refuse(TOO_MANY_SYMBOLS);
        known = 0;
        memory.fill(lengths, 0, 19);
        step = Step.CodeLengths;
        break;
      }
      case Step.CodeLengths: {
        for (; known < listed; known++) {
          if (!need(3)) return NEEDS_INPUT;
          store<u8>(lengths + load<u8>(ORDER + known), <u8>take(3));
        }
        if (!sortSymbols(lengths, 19, lengthCode, false)) return refuse(CODE_LENGTHS);
        known = 0;
        step = Step.Lengths;
        break;
      }
      case Step.Lengths: {
        if (known == symbols + distances) {
          const number = blockCodes(symbols, distances);
          fixed = false;
          if (number != 0) return refuse(number);
          step = Step.Symbol;
          break;
        }
        const symbol = decode(lengthCode);
        if (symbol == WAITING) return NEEDS_INPUT;
        if (symbol < 16) store<u8>(lengths + known++, <u8>symbol);
        else {
          if (symbol == 16 && known == 0) return refuse(REPEAT);
          repeat = symbol;
          step = Step.Repeat;
        }
        break;
      }
      case Step.Repeat: {
        const more: u32 = repeat == 16 ? 2 : repeat == 17 ? 3 : 7;
        if (!need(more)) return NEEDS_INPUT;
        const n = take(more) + (repeat == 18 ? 11 : 3);
        if (known + n > symbols + distances) return refuse(REPEAT);
        memory.fill(lengths + known, repeat == 16 ? load<u8>(lengths + known - 1) : 0, n);
        known += n;
        step = Step.Lengths;
        break;
      }
      case Step.Symbol: {
        if (inputEnd - input >= INPUT_MARGIN && outputEnd - output >= ROOM_MARGIN) {
          decodeFast();
          if (step != Step.Symbol) break;
        }
        if (output == outputEnd) return NEEDS_ROOM;
        const symbol = decode(symbolCode);
        if (symbol == WAITING) return NEEDS_INPUT;
        if (symbol == WRONG) return refuse(BAD_SYMBOL);
        if (<u32>symbol < END_OF_BLOCK) store<u8>(output++, <u8>symbol);
        else if (symbol == END_OF_BLOCK) step = Step.Header;
        else {
          const number = <u32>symbol - END_OF_BLOCK - 1;
          if (number >= LENGTH_SYMBOLS) return refuse(BAD_SYMBOL);
          length = load<u16>(LENGTH_BASE + (number << 1));
          extra = load<u8>(LENGTH_EXTRA + number);
          step = Step.LengthExtra;
        }
        break;
      }
      case Step.LengthExtra: {
        if (!need(extra)) return NEEDS_INPUT;
        length += take(extra);
        step = Step.Distance;
        break;
      }
      case Step.Distance: {
        const number = decode(distanceCode);
        if (number == WAITING) return NEEDS_INPUT;
        if (number == WRONG || <u32>number >= DISTANCE_SYMBOLS) return refuse(BAD_DISTANCE);
        distance = load<u16>(DISTANCE_BASE + (number << 1));
        extra = load<u8>(DISTANCE_EXTRA + number);
        step = Step.DistanceExtra;
        break;
      }
      case Step.DistanceExtra: {
        if (!need(extra)) return NEEDS_INPUT;
        distance += take(extra);
        if (<usize>distance > output - history) return refuse(TOO_FAR);
        step = Step.Match;
        break;
      }
      case Step.Match: {
        const n = min<usize>(length, outputEnd - output);
        for (const end = output + n; output < end; output++) store<u8>(output, load<u8>(output - distance));
        length -= <u32>n;
        if (length > 0) return NEEDS_ROOM;
        step = Step.Symbol;
        break;
      }
      case Step.End:
        return ENDED;
      default:
        return INVALID;
    }
  }
  return INVALID;
}

function refuse(number: i32): i32 {
  fault = number;
  step = Step.Invalid;
  return INVALID;
}

/** Whether `n` bits, at most 32, are available or could be read. */
@inline
function need(n: u32): bool {
  while (count < n) {
    if (input == inputEnd) return false;
    bits |= <u64>load<u8>(input++) << count;
    count += 8;
  }
  return true;
}

/** Consumes `n` bits, fewer than 32. */
@inline
function take(n: u32): u32 {
  const value = <u32>bits & ((1 << n) - 1);
  bits >>= n;
  count -= n;
  return value;
}

/**
 * The next symbol of a code; {@link WAITING}, with nothing consumed, when input is missing; {@link WRONG} for no
 * symbol's code.
 */
function decode(code: usize): i32 {
  let value: i32 = 0, first: i32 = 0, index: i32 = 0;
  for (let k: u32 = 1; k <= LONGEST_CODE; k++) {
    if (!need(k)) return WAITING;
    value |= <i32>(bits >> (k - 1)) & 1;
    const n = <i32>load<u16>(code + (k << 1));
    if (value - n < first) {
      take(k);
      return load<u16>(code + 32 + <usize>((index + value - first) << 1));
    }
    index += n;
    first = (first + n) << 1;
    value <<= 1;
  }
  return WRONG;
}

/** What the symbol table has for the current bits. */
@inline
function symbolAt(b: u64): u32 {
  return load<u32>(symbolTable + ((<u32>b & ((1 << SYMBOL_BITS) - 1)) << 2));
}

/**
 * Reads symbols while there is enough input and room, and the tables show them. A round consumes at most 38 of the 56
 * or more bits that it begins with, so that the next symbol is looked up before bits are added: the chain of look-ups
 * is what takes the time.
 */
function decodeFast(): void {
  let b = bits, n = count, p = input, to = output;
  const lastInput = inputEnd - 8, lastRoom = outputEnd - ROOM_MARGIN, begin = history;
  b |= load<u64>(p) << n;
  p += (~n >>> 3) & 7;
  n |= 56;
  let symbol = symbolAt(b);
  do {
    // Shifts take the low 6 bits of their count: those of `n` and of an entry are right, the others need not be.
    b >>= symbol;
    n -= symbol;
    store<u16>(to, symbol >>> 16);
    to += (symbol >>> 6) & 3;
    let many = (symbol >>> 8) & 255;
    if (many == 0) {
      const kind = symbol & 0xc0;
      if (kind == 0) break;
      if (kind != 0xc0) {
        symbol = symbolAt(b);
        b |= load<u64>(p) << n;
        p += (~n >>> 3) & 7;
        n |= 56;
        continue;
      }
      to -= 3;
      const more = (symbol >>> 16) & 7;
      many = (symbol >>> 19) - 2 + (<u32>b & ((1 << more) - 1));
      b >>= more;
      n -= more;
    }
    many += 2;
    const place = load<u32>(distanceTable + ((<u32>b & ((1 << DISTANCE_BITS) - 1)) << 2));
    if (place == 0) {
      length = many;
      step = Step.Distance;
      break;
    }
    const far = (place >>> 16) + ((<u32>b & ((1 << place) - 1)) >>> (place >>> 8));
    b >>= place;
    n -= place;
    if (far > <u32>(to - begin)) {
      refuse(TOO_FAR);
      break;
    }
    symbol = symbolAt(b);
    b |= load<u64>(p) << n;
    p += (~n >>> 3) & 7;
    n |= 56;
    copyMatch(to, many, far);
    to += many;
  } while (p <= lastInput && to <= lastRoom);
  n &= 63;
  bits = b & ((<u64>1 << n) - 1);
  count = n;
  input = p;
  output = to;
}

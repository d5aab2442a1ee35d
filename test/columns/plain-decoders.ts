import type { IntegerLayout, Integers } from "../../src/columns/parquet/read/decode/decoders.js";
import { ParquetFault } from "../../src/columns/parquet/read/format/fault.js";

/** The judge of the decoders: what src/wasm/parquet.ts does, in JavaScript and in few lines. */
export class PlainDecoders {
  hybrid(bytes: Uint8Array, width: number, count: number): Int32Array {
    if (width > 32) throw damaged();
    const out = new Int32Array(count);
    const reader = new BitReader(bytes);
    for (let at = 0; at < count; ) {
      const head = reader.varint();
      const length = head >> 1n;
      if ((head & 1n) === 0n) {
        const size = (width + 7) >> 3;
        let value = 0;
        for (let k = 0; k < size; k++) value |= reader.byte() << (8 * k);
        const end = at + Number(length < count - at ? length : BigInt(count - at));
        out.fill(value, at, end);
        at = end;
      } else {
        const end = at + Number(length * 8n < count - at ? length * 8n : BigInt(count - at));
        // Bits of no value may be missing at the end.
        const most = BigInt(bytes.length - reader.offset);
        const size = Number(length * BigInt(width) < most ? length * BigInt(width) : most);
        const packed = new BitReader(reader.take(size));
        for (; at < end; at++) out[at] = Number(packed.bits(width));
      }
    }
    return out;
  }

  delta(bytes: Uint8Array, count: number, { words, narrow, unsigned }: IntegerLayout): Integers {
    const reader = new BitReader(bytes);
    const [block, stretches, total] = [reader.varint(), reader.varint(), reader.varint()];
    const length = stretches === 0n ? 0n : block / stretches;
    const isSound = length >= 8n && length % 8n === 0n && length * stretches === block && block < 2n ** 24n;
    if (!isSound || total < count) throw damaged();
    const out = new Int32Array(count * words);
    const fitted = (value: bigint): bigint => {
      const wrapped = BigInt.asIntN(narrow ? 32 : 64, value);
      return unsigned ? BigInt.asUintN(narrow ? 32 : 64, wrapped) : wrapped;
    };
    let value = fitted(reader.zigzag());
    const put = (at: number): void => {
      let rest = value;
      for (let k = 0; k < words; k++, rest >>= 32n) out[at * words + k] = Number(BigInt.asIntN(32, rest));
    };
    if (count > 0) put(0);
    for (let at = 1; at < count; ) {
      const lowest = reader.zigzag();
      const widths = reader.take(Number(stretches)).slice();
      for (let k = 0; k < widths.length && at < count; k++) {
        if (widths[k] > 64) throw damaged();
        const packed = new BitReader(reader.take((widths[k] * Number(length)) / 8));
        const end = Math.min(count, at + Number(length));
        for (; at < end; at++) {
          value = fitted(value + lowest + packed.bits(widths[k]));
          put(at);
        }
      }
    }
    return { words: out, bytes: reader.offset };
  }

  widened(bytes: Uint8Array, count: number, { words, narrow, unsigned }: IntegerLayout): Integers {
    const from = narrow ? 1 : 2;
    const size = count * from * 4;
    if (size > bytes.length) throw damaged();
    const given = new Int32Array(bytes.slice(0, size).buffer);
    const out = new Int32Array(count * words);
    for (let i = 0; i < count; i++) {
      const sign = unsigned ? 0 : given[(i + 1) * from - 1] >> 31;
      for (let k = 0; k < words; k++) out[i * words + k] = k < from ? given[i * from + k] : sign;
    }
    return { words: out, bytes: size };
  }

  bigEndian(bytes: Uint8Array, width: number, count: number, words: number): Int32Array {
    if (width === 0 || width > words * 4 || count * width > bytes.length) throw damaged();
    const out = new Int32Array(count * words);
    for (let i = 0; i < count; i++) {
      const from = i * width;
      const sign = bytes[from] < 128 ? 0 : -1;
      for (let k = 0, last = from + width; k < words; k++, last -= 4) {
        let word = sign;
        for (let at = Math.max(from, last - 4); at < last; at++) word = (word << 8) | bytes[at];
        out[i * words + k] = word;
      }
    }
    return out;
  }
}

const damaged = (): ParquetFault => new ParquetFault("it is malformed or ends early");

/** Reads bytes, and bits from the lowest of each byte on. */
class BitReader {
  offset = 0;
  private held = 0n;
  private count = 0;

  constructor(private readonly source: Uint8Array) {}

  take(length: number): Uint8Array {
    const end = this.offset + length;
    if (!(end <= this.source.length)) throw damaged();
    const taken = this.source.subarray(this.offset, end);
    this.offset = end;
    return taken;
  }

  byte(): number {
    return this.take(1)[0];
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw damaged();
  }

  zigzag(): bigint {
    const value = this.varint();
    return (value >> 1n) ^ -(value & 1n);
  }

  bits(width: number): bigint {
    for (; this.count < width; this.count += 8) this.held |= BigInt(this.byte()) << BigInt(this.count);
    const value = BigInt.asUintN(width, this.held);
    this.held >>= BigInt(width);
    this.count -= width;
    return value;
  }
}

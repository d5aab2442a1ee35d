/** Writes deflate streams bit by bit, so that tests can say what no compressor would. */
export class DeflateBits {
  private readonly bits: number[] = [];

  /** A number, its lowest bit first. */
  number(value: number, count: number): this {
    for (let i = 0; i < count; i++) this.bits.push((value >> i) & 1);
    return this;
  }

  /** A Huffman code, its first bit first: `"1011"`. */
  code(code: string): this {
    for (const bit of code) this.bits.push(Number(bit));
    return this;
  }

  /** The header of a block: whether it is the last, and its type (0 stored, 1 fixed codes, 2 codes of its own). */
  block(last: boolean, type: number): this {
    return this.number(last ? 1 : 0, 1).number(type, 2);
  }

  /** A stored block after its header. */
  stored(bytes: Uint8Array): this {
    this.align().number(bytes.length, 16).number(~bytes.length, 16);
    for (const byte of bytes) this.number(byte, 8);
    return this;
  }

  /** Zeros up to the next byte. */
  align(): this {
    while (this.bits.length % 8 !== 0) this.bits.push(0);
    return this;
  }

  /** A literal, the end of the block (256) or a length symbol in the fixed codes. */
  fixed(symbol: number): this {
    const binary = (value: number, count: number): this => this.code(value.toString(2).padStart(count, "0"));
    if (symbol < 144) return binary(0x30 + symbol, 8);
    if (symbol < 256) return binary(0x190 + symbol - 144, 9);
    if (symbol < 280) return binary(symbol - 256, 7);
    return binary(0xc0 + symbol - 280, 8);
  }

  /** A match in the fixed codes. */
  match(length: number, distance: number): this {
    const [symbol, lengthExtra, lengthBits] = lengthSymbol(length);
    const [code, distanceExtra, distanceBits] = distanceSymbol(distance);
    this.fixed(symbol).number(lengthExtra, lengthBits);
    return this.code(code.toString(2).padStart(5, "0")).number(distanceExtra, distanceBits);
  }

  /**
   * The counts and code lengths of a block with codes of its own. `lengths` are written as they are, each as a code of
   * the `codeLengths` given by symbol; an item `[symbol, extra, bits]` is a repetition.
   */
  header(counts: readonly [number, number], lengthCodes: readonly number[], items: readonly LengthItem[]): this {
    const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    this.number(counts[0] - 257, 5)
      .number(counts[1] - 1, 5)
      .number(15, 4);
    for (const symbol of order) this.number(lengthCodes[symbol] ?? 0, 3);
    const codes = canonical(lengthCodes);
    for (const item of items) {
      const [symbol, extra, bits] = typeof item === "number" ? [item, 0, 0] : item;
      this.code(codes[symbol]).number(extra, bits);
    }
    return this;
  }

  bytes(): Uint8Array {
    const { bits } = this.align();
    return Uint8Array.from({ length: bits.length / 8 }, (_, i) => {
      return bits.slice(i * 8, i * 8 + 8).reduce((byte, bit, j) => byte | (bit << j), 0);
    });
  }
}

/** A code length, or a repetition: symbol 16 to 18, its extra bits and how many. */
export type LengthItem = number | readonly [number, number, number];

/** The canonical codes for code lengths, as texts of bits. */
export function canonical(lengths: readonly number[]): string[] {
  const codes: string[] = [];
  let code = 0;
  for (let length = 1; length <= 15; length++) {
    lengths.forEach((own, symbol) => {
      if (own !== length) return;
      codes[symbol] = code.toString(2).padStart(length, "0");
      code++;
    });
    code *= 2;
  }
  return codes;
}

/** The length symbol of a match, its extra bits and how many. */
function lengthSymbol(length: number): [number, number, number] {
  if (length === 258) return [285, 0, 0];
  for (let symbol = 257, base = 3; ; symbol++) {
    const bits = symbol < 265 ? 0 : (symbol - 261) >> 2;
    if (length < base + (1 << bits)) return [symbol, length - base, bits];
    base += 1 << bits;
  }
}

/** The distance symbol of a match, its extra bits and how many. */
function distanceSymbol(distance: number): [number, number, number] {
  for (let symbol = 0, base = 1; ; symbol++) {
    const bits = symbol < 4 ? 0 : (symbol - 2) >> 1;
    if (distance < base + (1 << bits)) return [symbol, distance - base, bits];
    base += 1 << bits;
  }
}

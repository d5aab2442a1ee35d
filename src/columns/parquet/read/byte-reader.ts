/** Reads bytes from the start on. Its methods throw an Error where the bytes end early. */
export class ByteReader {
  offset = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** The next `length` bytes. */
  take(length: number): Uint8Array {
    const end = this.offset + length;
    if (!(length >= 0 && end <= this.bytes.length)) throw new Error("a page ends early");
    const taken = this.bytes.subarray(this.offset, end);
    this.offset = end;
    return taken;
  }

  byte(): number {
    if (this.offset >= this.bytes.length) throw new Error("a page ends early");
    return this.bytes[this.offset++];
  }

  /** A whole number of 32 bits, lowest byte first. */
  uint32(): number {
    const [a, b, c, d] = this.take(4);
    return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
  }

  /** A whole number in groups of seven bits, the lowest first; from 2^53 on about its value. */
  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  /** A signed one: 0, -1, 1, -2, …; NaN where it is beyond 2^52 either way. */
  zigzag(): number {
    const value = this.varint();
    if (value >= 2 ** 53) return Number.NaN;
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

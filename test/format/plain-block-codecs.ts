// The judges of the block codecs, in JavaScript and in few lines.

/** Snappy, as `decompressBlock` undoes it. */
export function plainSnappy(bytes: Uint8Array, length: number): Uint8Array | undefined {
  const block = new Block(bytes, length);
  if (block.varint() !== length) return undefined;
  while (block.isSound && block.at < bytes.length) {
    const tag = block.byte();
    if ((tag & 3) === 0) {
      const short = tag >> 2;
      block.literal(1 + (short < 60 ? short : block.littleEndian(short - 59)));
    } else if ((tag & 3) === 1) block.match(((tag >> 2) & 7) + 4, ((tag >> 5) << 8) | block.byte());
    else block.match((tag >> 2) + 1, block.littleEndian((tag & 3) === 2 ? 2 : 4));
  }
  return block.whole();
}

/** A block of LZ4, as `decompressBlock` undoes it. */
export function plainLz4(bytes: Uint8Array, length: number): Uint8Array | undefined {
  const block = new Block(bytes, length);
  while (block.isSound && block.at < bytes.length) {
    const token = block.byte();
    block.literal(block.lengthFrom(token >> 4));
    // The last sequence has no match.
    if (block.at === bytes.length) break;
    const distance = block.littleEndian(2);
    block.match(block.lengthFrom(token & 15) + 4, distance);
  }
  return block.whole();
}

/** A block while it is decompressed. Bytes beyond its end are 0, and make it unsound. */
class Block {
  at = 0;
  isSound = true;
  private readonly out: Uint8Array;
  private to = 0;

  constructor(
    private readonly bytes: Uint8Array,
    length: number,
  ) {
    this.out = new Uint8Array(length);
  }

  byte(): number {
    if (this.at >= this.bytes.length) this.isSound = false;
    return this.bytes[this.at++] ?? 0;
  }

  littleEndian(size: number): number {
    let value = 0;
    for (let k = 0; k < size; k++) value += this.byte() * 256 ** k;
    return value;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 35; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    return -1;
  }

  /** A length of 15 is the first part: each byte of 255 says that another follows. */
  lengthFrom(short: number): number {
    let length = short;
    for (let byte = short === 15 ? 255 : 0; byte === 255; length += byte) byte = this.byte();
    return length;
  }

  literal(length: number): void {
    const end = this.at + length;
    if (end > this.bytes.length || length > this.out.length - this.to) this.isSound = false;
    else {
      this.out.set(this.bytes.subarray(this.at, end), this.to);
      this.at = end;
      this.to += length;
    }
  }

  match(length: number, distance: number): void {
    if (distance === 0 || distance > this.to || length > this.out.length - this.to) this.isSound = false;
    else for (const end = this.to + length; this.to < end; this.to++) this.out[this.to] = this.out[this.to - distance];
  }

  whole(): Uint8Array | undefined {
    return this.isSound && this.to === this.out.length ? this.out : undefined;
  }
}

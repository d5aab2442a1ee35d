/** Room for so many pairs at first. */
const LEAST = 1_024;

/**
 * Numbers pairs of 32-bit integers in order of first appearance, exactly and however many there are: a hash table with
 * open addressing.
 */
export class PairCodes {
  /** How many pairs there are. */
  size = 0;
  private firsts = new Int32Array(LEAST);
  private seconds = new Int32Array(LEAST);
  /** Number + 1, or 0 for a free slot. The length is a power of two, at most half full. */
  private slots = new Int32Array(2 * LEAST);

  /** The number of a pair. */
  code(first: number, second: number): number {
    const { slots, firsts, seconds } = this;
    const mask = slots.length - 1;
    let slot = hash(first, second) & mask;
    for (let number = slots[slot] - 1; number >= 0; number = slots[slot] - 1) {
      if (firsts[number] === first && seconds[number] === second) return number;
      slot = (slot + 1) & mask;
    }
    const number = this.size++;
    if (number === firsts.length) this.grow();
    this.firsts[number] = first;
    this.seconds[number] = second;
    if (this.slots === slots) slots[slot] = number + 1;
    else this.place(number);
    return number;
  }

  private grow(): void {
    const [firsts, seconds] = [this.firsts, this.seconds];
    this.firsts = new Int32Array(firsts.length * 2);
    this.seconds = new Int32Array(firsts.length * 2);
    this.slots = new Int32Array(firsts.length * 4);
    this.firsts.set(firsts);
    this.seconds.set(seconds);
    for (let number = 0; number < firsts.length; number++) this.place(number);
  }

  private place(number: number): void {
    const mask = this.slots.length - 1;
    let slot = hash(this.firsts[number], this.seconds[number]) & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = number + 1;
  }
}

/** Of neighbouring integers, in either place, different low bits. */
function hash(first: number, second: number): number {
  const mixed = Math.imul(first ^ Math.imul(second ^ (second >>> 15), 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

import { DataError, reworded } from "../../errors/errors.js";
import { skipByteOrderMark } from "../../value/text.js";

const LF = 10;
/** The longest line in bytes. */
const MAX_LINE = 67_108_864;

/** Collects chunks of any size and gives whole lines. */
export class LineBuffer {
  /** The bytes that {@link LineBuffer.next} gives positions in. */
  b: Uint8Array = new Uint8Array(0);
  /** Rows so far, for errors. */
  row = 0;
  /** Start and end of the current line, without its line feed. */
  start = 0;
  end = 0;
  private p = 0;
  /** What `b` is the beginning of. */
  private memory = new Uint8Array(0);
  /** No line feed is before this position. */
  private searched = 0;
  /** Byte offset of `b[0]` in the text. */
  private base = 0;
  private last = false;

  feed(chunk: Uint8Array): void {
    const { p, b } = this;
    const kept = b.length - p;
    const length = kept + chunk.length;
    if (p > 0 || length > this.memory.length) {
      // Of a line that is longer than a chunk, the memory doubles: it is not copied for each.
      this.memory = new Uint8Array(kept > chunk.length ? length * 2 : length);
      this.memory.set(b.subarray(p));
      this.base += p;
      this.searched = Math.max(0, this.searched - p);
    }
    this.memory.set(chunk, kept);
    this.b = this.memory.subarray(0, length);
    this.p = this.base === 0 ? skipByteOrderMark(this.b) : 0;
  }

  finish(): void {
    this.last = true;
  }

  /** Whether there is another whole line, now the current one. */
  next(): boolean {
    const { b, p } = this;
    const feed = b.indexOf(LF, Math.max(p, this.searched));
    if (feed < 0) this.searched = b.length;
    if (feed < 0 && (!this.last || p >= b.length)) {
      if (b.length - p > MAX_LINE) throw this.tooLong();
      return false;
    }
    this.start = p;
    this.end = feed < 0 ? b.length : feed;
    this.p = feed < 0 ? b.length : feed + 1;
    return true;
  }

  /** The offset in the text of a position in the bytes. */
  offsetOf(position: number): number {
    return this.base + position;
  }

  /** An error of the current line, with its row and its offset in the text. */
  placed(error: unknown): unknown {
    if (!(error instanceof DataError) || error.row !== undefined || error.offset === undefined) return error;
    const offset = this.offsetOf(error.offset);
    const { row } = this;
    if (error.code === "BadUtf8")
      return reworded(error, `Row ${row}: a name is not valid UTF-8 (byte ${offset}).`, { row, offset });
    const found = error.message.replace(/^.*?: (?=expected)/, "").replace("the end of the text", "the end of the line");
    return new DataError(`Row ${row} is not a JSON object (byte ${offset}): ${found}`, {
      code: "BadJson",
      row,
      offset,
      hint: "A row is an object: JSON lines have one object on each line, Frame.fromJSON() reads an array of objects.",
    });
  }

  private tooLong(): DataError {
    const offset = this.offsetOf(this.p);
    return new DataError(`Row ${this.row} is longer than ${MAX_LINE} bytes (byte ${offset}).`, {
      code: "RowTooLong",
      row: this.row,
      offset,
      hint: "JSON lines have one object on each line.",
    });
  }
}

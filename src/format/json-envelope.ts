import { DataError } from "../errors/errors.js";
import { indexOfBytes, utf8Bytes, utf8Text } from "../platform/node/bytes.js";
import { skipByteOrderMark } from "../value/text.js";
import { checkUtf8, jsonError, MAX_DEPTH, skipJson, skipKey, skipScalar, skipSpace } from "./json.js";

const SPACE = 32;
const COMMA = 44;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** A JSON document whose rows are kept as bytes. */
export interface JsonEnvelope {
  /** The document as plain values, with `null` in place of the rows. */
  readonly value: unknown;
  /** The range of the rows array: the offset of its `[`, and the offset after its `]`. */
  readonly rows?: { readonly start: number; readonly end: number };
}

/**
 * Parses a JSON document but keeps one array of rows as bytes, wherever it is (spec 2.1, 2.3, 2.6: rows may come before
 * or after the columns). Names are kept exactly, including `__proto__`; a repeated name in one object is an error.
 *
 * The end of the rows is first guessed to be the first `]]`, and accepted if the rest of the document parses from
 * there; reading the rows confirms it. Otherwise the rows are skipped value by value.
 *
 * @param rowsAt paths of member names from the root at which rows may be, such as `["datatable", "data"]`
 * @throws {DataError} BadJson, TruncatedJson with the byte offset
 */
export function readEnvelope(bytes: Uint8Array, rowsAt: readonly (readonly string[])[]): JsonEnvelope {
  checkUtf8(bytes);
  try {
    return new EnvelopeReader(bytes, rowsAt, guessRowsEnd).read();
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return new EnvelopeReader(bytes, rowsAt, skipJson).read();
  }
}

type SkipRows = (b: Uint8Array, start: number, end: number) => number;

const TWO_CLOSERS = utf8Bytes("]]");

function guessRowsEnd(b: Uint8Array, start: number, end: number): number {
  const first = skipSpace(b, start + 1, end);
  if (b[first] === CLOSE_ARRAY) return first + 1;
  // Rows with white space may end in "]
  // ]", in which case the first "]]" belongs to a later member.
  const row = b.indexOf(CLOSE_ARRAY, start);
  const next = b[row + 2] === SPACE ? row + 3 : row + 2;
  const compact = b[row + 1] === CLOSE_ARRAY || (b[row + 1] === COMMA && b[next] === OPEN_ARRAY);
  if (b[start + 1] !== OPEN_ARRAY || !compact) return skipJson(b, start, end);
  const found = indexOfBytes(b, TWO_CLOSERS, start);
  return found < 0 || found + 2 > end ? skipJson(b, start, end) : found + 2;
}

class EnvelopeReader {
  private p = 0;
  private readonly path: string[] = [];
  private rows: { start: number; end: number } | undefined;

  constructor(
    private readonly b: Uint8Array,
    private readonly rowsAt: readonly (readonly string[])[],
    private readonly skipRows: SkipRows,
  ) {}

  read(): JsonEnvelope {
    const { b } = this;
    this.p = skipSpace(b, skipByteOrderMark(b), b.length);
    const value = this.value();
    this.space();
    if (this.p < b.length) throw jsonError(b, this.p, b.length, "the end of the text");
    return this.rows === undefined ? { value } : { value, rows: this.rows };
  }

  private space(): void {
    this.p = skipSpace(this.b, this.p, this.b.length);
  }

  private value(): unknown {
    const { b } = this;
    switch (b[this.p]) {
      case OPEN_OBJECT:
        return this.object();
      case OPEN_ARRAY:
        return this.isRows() ? this.takeRows() : this.array();
      default: {
        const start = this.p;
        this.p = skipScalar(b, start, b.length);
        return JSON.parse(utf8Text(b, start, this.p)) as unknown;
      }
    }
  }

  private isRows(): boolean {
    const { path } = this;
    return this.rowsAt.some((at) => at.length === path.length && at.every((name, i) => name === path[i]));
  }

  private takeRows(): null {
    const start = this.p;
    this.p = this.skipRows(this.b, start, this.b.length);
    this.rows = { start, end: this.p };
    return null;
  }

  private array(): unknown[] {
    const { b } = this;
    const values: unknown[] = [];
    this.enter("[]");
    if (b[this.p] !== CLOSE_ARRAY) {
      do {
        this.space();
        values.push(this.value());
      } while (this.more(CLOSE_ARRAY));
    }
    this.leave();
    return values;
  }

  private object(): Record<string, unknown> {
    const { b } = this;
    const object: Record<string, unknown> = {};
    const seen = new Set<string>();
    this.enter("{}");
    if (b[this.p] !== CLOSE_OBJECT) {
      do {
        this.space();
        const start = this.p;
        this.p = skipKey(b, start, b.length);
        const quoted = skipScalar(b, start, b.length);
        const name = JSON.parse(utf8Text(b, start, quoted)) as string;
        if (seen.has(name)) throw jsonError(b, start, b.length, `the member ${JSON.stringify(name)} only once`);
        seen.add(name);
        this.path[this.path.length - 1] = name;
        const value = this.value();
        Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
      } while (this.more(CLOSE_OBJECT));
    }
    this.leave();
    return object;
  }

  private enter(step: string): void {
    if (this.path.length >= MAX_DEPTH) throw jsonError(this.b, this.p, this.b.length, `at most ${MAX_DEPTH} levels`);
    this.path.push(step);
    this.p++;
    this.space();
  }

  /** After a value: true at a comma, false at the closing bracket, which {@link leave} skips. */
  private more(closer: number): boolean {
    const { b } = this;
    this.space();
    if (b[this.p] === COMMA) {
      this.p++;
      return true;
    }
    if (this.p >= b.length || b[this.p] !== closer) {
      throw jsonError(b, this.p, b.length, closer === CLOSE_ARRAY ? '"," or "]"' : '"," or "}"');
    }
    return false;
  }

  private leave(): void {
    this.path.pop();
    this.p++;
  }
}

import { DataError } from "../../errors/errors.js";
import { skipJson } from "../../format/json.js";
import { utf8Text } from "../../platform/node/bytes.js";
import { type ColumnSpec, parseType } from "../../spec/columns.js";
import { DECIMAL128_DIGITS } from "../../value/decimal.js";
import { isSpelledDouble, plainNumber } from "../../value/json-number.js";
import { JSON_BOOLEAN, JSON_NUMBER, JSON_STRING, TypeGuess } from "../build/type-guess.js";
import { LineBuffer } from "./line-buffer.js";
import { type MemberReader, readMembers } from "./line-members.js";

const QUOTE = 34;
const MINUS = 45;
const ZERO = 48;
const OPEN_ARRAY = 91;
const F = 102;
const N = 110;
const T = 116;
const OPEN_OBJECT = 123;

/**
 * The columns of JSON lines in chunks of any size: the members of all objects in order of first appearance, and for
 * each the type that all its values have. Numbers are `Integer` or decimals of their exact digits, also those with an
 * exponent, or doubles if decimals would have more than 38 digits and every number is one as JavaScript spells it;
 * strings are `Date` or `DateTime` where all are, otherwise text, as are other numbers of more than 76 digits and
 * members whose values are of several kinds.
 *
 * @param types service types of some columns by name
 * @throws {DataError} BadJson, BadCell for an array or object, unless `nested` is `null` or its type is in `types`
 */
export async function columnsOfLines(
  chunks: AsyncIterable<Uint8Array>,
  types: Readonly<Record<string, string>>,
  nested: "error" | "null",
): Promise<readonly ColumnSpec[]> {
  const members = new MemberTypes(nested === "null", types);
  for await (const chunk of chunks) members.feed(chunk);
  return members.columns();
}

/** As {@link columnsOfLines}, of lines in memory. */
export function columnsOfText(
  lines: Uint8Array,
  types: Readonly<Record<string, string>>,
  nested: "error" | "null",
): readonly ColumnSpec[] {
  const members = new MemberTypes(nested === "null", types);
  members.feed(lines);
  return members.columns();
}

/** A shorter number without an exponent has the digits of a double. */
const DOUBLE_LENGTH = 15;

class MemberTypes implements MemberReader {
  private readonly numbers = new Map<string, number>();
  private readonly guesses: TypeGuess[] = [];
  private readonly names: string[] = [];
  /** Whether all values so far are numbers that doubles hold; undefined before the first. */
  private readonly areDoubles: (boolean | undefined)[] = [];
  private readonly keys: Uint8Array[] = [];
  private next = 0;
  private readonly lines = new LineBuffer();

  constructor(
    private readonly acceptsNested: boolean,
    private readonly types: Readonly<Record<string, string>>,
  ) {}

  feed(chunk: Uint8Array): void {
    this.lines.feed(chunk);
    this.readLines();
  }

  private readLines(): void {
    const { lines } = this;
    while (lines.next()) {
      this.next = 0;
      try {
        if (readMembers(lines.b, lines.start, lines.end, this)) lines.row++;
      } catch (error) {
        throw lines.placed(error);
      }
    }
  }

  /** Ends the input. */
  columns(): ColumnSpec[] {
    this.lines.finish();
    this.readLines();
    return this.names.map((name, i) => ({
      name,
      type: Object.hasOwn(this.types, name) ? this.types[name] : this.guessed(i),
    }));
  }

  private guessed(member: number): string {
    const { type } = this.guesses[member];
    const { kind, precision = 0 } = parseType(type);
    const isWide = kind === "text" || precision > DECIMAL128_DIGITS;
    return isWide && this.areDoubles[member] === true ? "double" : type;
  }

  expected(b: Uint8Array, from: number, to: number): number {
    const key = this.keys[this.next];
    if (key === undefined || key.length !== to - from) return -1;
    for (let i = 0; i < key.length; i++) if (key[i] !== b[from + i]) return -1;
    return this.next;
  }

  named(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    const added = this.names.length;
    this.numbers.set(name, added);
    this.names.push(name);
    this.guesses.push(new TypeGuess());
    this.areDoubles.push(undefined);
    this.keys.push(new TextEncoder().encode(name));
    return added;
  }

  value(member: number, p: number, end: number): number {
    const { b } = this.lines;
    const after = skipJson(b, p, end);
    const guess = this.guesses[member];
    this.next = member + 1;
    const first = b[p];
    if (first !== N && this.areDoubles[member] !== false) {
      this.areDoubles[member] = isNumber(first) && isDouble(b, p, after);
    }
    if (first === QUOTE) guess.add(b, p + 1, after - 1, JSON_STRING);
    else if (first === T || first === F) guess.add(b, p, after, JSON_BOOLEAN);
    else if (first === OPEN_ARRAY || first === OPEN_OBJECT) {
      if (!this.acceptsNested) throw this.nested(member, p, after);
    } else if (first !== N && !guess.isText) {
      // The digits of an exponent, and the sign of zero.
      const isPlain = first !== MINUS && !hasExponent(b, p, after);
      const plain = isPlain ? undefined : plainNumber(utf8Text(b, p, after));
      const bytes = isPlain ? b : new TextEncoder().encode(plain ?? "");
      guess.add(bytes, isPlain ? p : 0, isPlain ? after : bytes.length, JSON_NUMBER);
    }
    return after;
  }

  private nested(member: number, p: number, after: number): DataError {
    const offset = this.lines.offsetOf(p);
    const { row } = this.lines;
    const value = utf8Text(this.lines.b, p, after);
    const shown = JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
    const column = this.names[member];
    const what = "is an array or object, and columns hold single values";
    return new DataError(`Row ${row}, column ${JSON.stringify(column)}: ${shown} ${what} (byte ${offset}).`, {
      code: "BadCell",
      row,
      column,
      value,
      offset,
      hint: 'Flatten the data first, or pass onBadCell: "null".',
    });
  }
}

const isNumber = (first: number): boolean => first === MINUS || (first >= ZERO && first <= ZERO + 9);

const isDouble = (b: Uint8Array, from: number, to: number): boolean =>
  (to - from <= DOUBLE_LENGTH && !hasExponent(b, from, to)) || isSpelledDouble(utf8Text(b, from, to));

const hasExponent = (b: Uint8Array, from: number, to: number): boolean => {
  for (let p = from; p < to; p++) if ((b[p] | 32) === 101) return true;
  return false;
};

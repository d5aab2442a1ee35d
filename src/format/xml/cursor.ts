import { DataError } from "../../errors/errors.js";
import { latin1Text, utf8Text } from "../../platform/node/bytes.js";
import {
  AMPERSAND,
  BYTE_KINDS,
  CARRIAGE_RETURN,
  CLOSING_BRACKET,
  isAllowedAt,
  isReferable,
  LESS_THAN,
  nameEnd,
  PLAIN,
  SUSPECT,
  type XMLVersion,
} from "./characters.js";
import { decodeXML, isEntity, referredCode, type TextPlace } from "./text.js";

/** The kinds of tokens that {@link XMLCursor.next} finds. */
export const XML_DONE = 0;
export const XML_START = 1;
export const XML_END = 2;
export const XML_TEXT = 3;

/** The deepest nesting that is accepted; far beyond any reply of the service. */
const MAX_DEPTH = 1_000;

/** A part of a document: the content of an element, which has been checked to be well-formed. */
export interface XMLFragment {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly version: XMLVersion;
}

/**
 * Reads XML token by token and checks that it is well-formed (XML 1.0, fifth edition, and 1.1, without a document
 * type): tags match, attributes are unique, every character and reference is allowed. Comments and processing
 * instructions are skipped. Positions are byte offsets; nothing is decoded.
 */
export class XMLCursor {
  /** Start and end of the token that {@link next} found. An empty-element tag yields an end token of length 0. */
  tokenStart: number;
  p: number;
  /** Range of the name of the element that starts or ends. */
  nameStart = 0;
  nameEnd = 0;
  /** Range of a text token, whether it is a CDATA section, and whether it contains nothing to decode. */
  textStart = 0;
  textEnd = 0;
  isCdata = false;
  isPlain = true;
  /** Number of open elements, including one that just started. */
  depth = 0;

  private readonly kinds: Uint8Array;
  /** Ranges of the names of open elements. */
  private readonly open: number[] = [];
  /** Ranges of the names and values of the attributes of the element that started. */
  private readonly places: number[] = [];
  private attributeCount = 0;
  /** The attribute names as a set if there are many: a linear search would be quadratic. */
  private readonly seen = new Set<string>();
  private isEmptyElement = false;
  private hasRoot = false;

  /** Reads `b` from `start`, after the XML declaration; or, if `isFragment`, the content of an element up to `end`. */
  constructor(
    readonly b: Uint8Array,
    start: number,
    private readonly end: number,
    readonly version: XMLVersion,
    private readonly isFragment = false,
  ) {
    this.kinds = BYTE_KINDS[version];
    this.tokenStart = start;
    this.p = start;
  }

  /** Advances to the next start tag, end tag or text. */
  next(): number {
    if (this.isEmptyElement) return this.endEmptyElement();
    const { b, end } = this;
    for (;;) {
      const { p } = this;
      if (p >= end) return this.finish();
      this.tokenStart = p;
      if (b[p] !== 0x3c) {
        if (this.depth > 0 || this.isFragment) return this.characters(p);
        this.p = this.space(p);
        if (this.p === p) throw xmlError(b, p, "no text is allowed outside the root element");
        continue;
      }
      switch (b[p + 1]) {
        case 0x2f:
          return this.endTag(p);
        case 0x3f:
          this.p = this.instruction(p);
          break;
        case 0x21:
          if (this.startsWith("<!--", p)) this.p = this.comment(p);
          else if (this.startsWith("<![CDATA[", p)) return this.section(p);
          else throw this.declaration(p);
          break;
        default:
          return this.startTag(p);
      }
    }
  }

  /** The name of the element that starts or ends. */
  name(): string {
    return utf8Text(this.b, this.nameStart, this.nameEnd);
  }

  source(): string {
    return utf8Text(this.b, this.tokenStart, this.p);
  }

  text(): string {
    return decoded(this.b, this.textStart, this.textEnd, this.isCdata ? "cdata" : "text");
  }

  /** The decoded attributes of the element that started. */
  *attributes(): Generator<[name: string, value: string], void, undefined> {
    const { b, places } = this;
    for (let i = 0; i < this.attributeCount * 4; i += 4) {
      const value = decoded(b, places[i + 2], places[i + 3], "attribute");
      yield [utf8Text(b, places[i], places[i + 1]), value];
    }
  }

  /** The value of an attribute of the element that started; undefined if it has none of this name. */
  attribute(name: Uint8Array): string | undefined {
    const { b, places } = this;
    for (let i = 0; i < this.attributeCount * 4; i += 4) {
      if (equal(b, places[i], places[i + 1], name, 0, name.length)) {
        return decoded(b, places[i + 2], places[i + 3], "attribute");
      }
    }
    return undefined;
  }

  private finish(): number {
    const { b, end } = this;
    this.tokenStart = this.p;
    if (this.p > end) throw xmlError(b, end, "expected the end of the element");
    if (this.depth > 0) throw xmlError(b, end, `expected </${this.openName()}>`);
    if (!this.isFragment && !this.hasRoot) throw xmlError(b, end, "expected the root element");
    return XML_DONE;
  }

  private startTag(p: number): number {
    const { b } = this;
    if (this.depth === 0 && !this.isFragment) {
      if (this.hasRoot) throw xmlError(b, p, "expected no second root element");
      this.hasRoot = true;
    }
    if (this.depth === MAX_DEPTH) throw xmlError(b, p, `expected at most ${MAX_DEPTH} levels`);
    this.nameStart = p + 1;
    this.nameEnd = this.nameAfter(p + 1, "the name of an element");
    this.attributeCount = 0;
    let q = this.nameEnd;
    while (b[q] !== 0x3e) {
      const at = this.space(q);
      if (b[at] === 0x3e) q = at;
      else if (b[at] === 0x2f) {
        if (b[at + 1] !== 0x3e) throw xmlError(b, at + 1, 'expected ">"');
        this.isEmptyElement = true;
        q = at + 1;
      } else if (at === q) throw xmlError(b, at, 'expected white space, ">" or "/>"');
      else q = this.readAttribute(at);
    }
    this.open[this.depth * 2] = this.nameStart;
    this.open[this.depth * 2 + 1] = this.nameEnd;
    this.depth++;
    this.p = q + 1;
    return XML_START;
  }

  /** The position after the attribute at `p`. */
  private readAttribute(p: number): number {
    const { b, places } = this;
    const end = this.nameAfter(p, "the name of an attribute");
    const equals = this.space(end);
    if (b[equals] !== 0x3d) throw xmlError(b, equals, 'expected "=" and the value of the attribute');
    const quote = this.space(equals + 1);
    if (b[quote] !== 0x22 && b[quote] !== 0x27) throw xmlError(b, quote, "expected a value in quotes");
    const close = this.attributeValue(quote + 1, b[quote]);
    const i = this.attributeCount++ * 4;
    places[i] = p;
    places[i + 1] = end;
    places[i + 2] = quote + 1;
    places[i + 3] = close;
    if (i > 0 && this.isRepeated(i)) {
      throw xmlError(b, p, `expected the attribute ${utf8Text(b, p, end)} only once`);
    }
    return close + 1;
  }

  /** The position of the quote that ends the value at `start`. */
  private attributeValue(start: number, quote: number): number {
    const { b, kinds } = this;
    for (let p = start; ; ) {
      const c = b[p];
      if (c === quote) return p;
      const kind = kinds[c];
      if (kind === PLAIN || kind === CARRIAGE_RETURN || kind === CLOSING_BRACKET) p++;
      else if (kind === AMPERSAND) p = this.reference(p);
      else if (kind === LESS_THAN) throw xmlError(b, p, 'expected no "<" in the value of an attribute');
      else p = this.suspect(p, "the quote that ends the value");
    }
  }

  private isRepeated(i: number): boolean {
    const { b, places, seen } = this;
    if (i < 32) {
      for (let k = 0; k < i; k += 4) {
        if (equal(b, places[i], places[i + 1], b, places[k], places[k + 1])) return true;
      }
      return false;
    }
    if (i === 32) {
      seen.clear();
      for (let k = 0; k < i; k += 4) seen.add(nameOf(b, places[k], places[k + 1]));
    }
    const { size } = seen;
    return seen.add(nameOf(b, places[i], places[i + 1])).size === size;
  }

  private endTag(p: number): number {
    const { b, open } = this;
    const level = (this.depth - 1) * 2;
    if (level < 0) throw xmlError(b, p, "expected no end tag here");
    const end = p + 2 + open[level + 1] - open[level];
    const after = this.space(end);
    if (b[after] !== 0x3e || !equal(b, p + 2, end, b, open[level], open[level + 1])) {
      throw xmlError(b, p + 2 > b.length || after >= b.length ? b.length : p, `expected </${this.openName()}>`);
    }
    this.nameStart = p + 2;
    this.nameEnd = end;
    this.depth--;
    this.p = after + 1;
    return XML_END;
  }

  private endEmptyElement(): number {
    this.isEmptyElement = false;
    this.tokenStart = this.p;
    this.depth--;
    return XML_END;
  }

  /** Text up to the next tag, CDATA section, comment or instruction. */
  private characters(start: number): number {
    const { b, kinds, end } = this;
    let p = start;
    this.isPlain = true;
    this.isCdata = false;
    for (; p < end; ) {
      const kind = kinds[b[p]];
      if (kind === PLAIN) p++;
      else if (kind === LESS_THAN) break;
      else if (kind === CLOSING_BRACKET) {
        if (b[p + 1] === 0x5d && b[p + 2] === 0x3e) throw xmlError(b, p, 'expected no "]]>" in text');
        p++;
      } else if (kind === SUSPECT) p = this.suspect(p, "text");
      else {
        this.isPlain = false;
        p = kind === AMPERSAND ? this.reference(p) : p + 1;
      }
    }
    return this.found(start, p, p);
  }

  private section(p: number): number {
    const { b } = this;
    if (this.depth === 0 && !this.isFragment)
      throw xmlError(b, p, "no CDATA section is allowed outside the root element");
    const start = p + 9;
    this.isPlain = true;
    this.isCdata = true;
    const end = this.until("]]>", start);
    return this.found(start, end, end + 3);
  }

  private found(start: number, end: number, after: number): number {
    this.textStart = start;
    this.textEnd = end;
    this.p = after;
    return XML_TEXT;
  }

  /** The position after a comment. */
  private comment(p: number): number {
    const end = this.until("--", p + 4);
    if (this.b[end + 2] !== 0x3e) throw xmlError(this.b, end + 2, 'expected no "--" in a comment');
    return end + 3;
  }

  /** The position after an instruction. */
  private instruction(p: number): number {
    const { b } = this;
    const end = this.nameAfter(p + 2, "the name of an instruction");
    if (end - p === 5 && /^xml$/i.test(nameOf(b, p + 2, end))) {
      throw xmlError(b, p, "expected the XML declaration at the first byte only");
    }
    if (this.startsWith("?>", end)) return end + 2;
    if (this.space(end) === end) throw xmlError(b, end, 'expected white space or "?>"');
    return this.until("?>", end) + 2;
  }

  /** The position of the delimiter; everything before it must consist of allowed characters. */
  private until(delimiter: string, start: number): number {
    const { b, kinds } = this;
    const first = delimiter.charCodeAt(0);
    for (let p = start; ; ) {
      const c = b[p];
      if (c === first && this.startsWith(delimiter, p)) return p;
      const kind = kinds[c];
      if (kind === CARRIAGE_RETURN) this.isPlain = false;
      p = kind < SUSPECT ? p + 1 : this.suspect(p, delimiter);
    }
  }

  /** The position after the byte at `p`, which may begin a forbidden character or be missing. */
  private suspect(p: number, expected: string): number {
    const { b, version } = this;
    if (p >= b.length) throw xmlError(b, p, `expected ${expected}`);
    if (!isAllowedAt(b, p, version)) throw xmlError(b, p, `XML ${version} does not allow this character`);
    return p + 1;
  }

  /** The position after the reference at `p`: one of the five predefined entities, or a character by number. */
  private reference(p: number): number {
    const { b } = this;
    // The longest number, &#x10FFFF;, may have leading zeros.
    let end = p + 1;
    while (b[end] !== 0x3b && isReferenceByte(b[end])) end++;
    if (end >= b.length) throw xmlError(b, b.length, 'expected ";" after a reference');
    const body = nameOf(b, p + 1, end);
    if (b[end] === 0x3b) {
      const code = referredCode(body);
      if (code === undefined ? isEntity(body) : isReferable(code, this.version)) return end + 1;
    }
    throw xmlError(b, p, "expected &amp; &lt; &gt; &quot; &apos; or the number of an allowed character");
  }

  private nameAfter(p: number, what: string): number {
    const end = nameEnd(this.b, p);
    if (end === p) throw xmlError(this.b, p, `expected ${what}`);
    return end;
  }

  private space(start: number): number {
    const { b } = this;
    let p = start;
    while (b[p] === 0x20 || b[p] === 0x0a || b[p] === 0x0d || b[p] === 0x09) p++;
    return p;
  }

  private startsWith(delimiter: string, p: number): boolean {
    for (let i = 0; i < delimiter.length; i++) if (this.b[p + i] !== delimiter.charCodeAt(i)) return false;
    return true;
  }

  private declaration(p: number): Error {
    const isDoctype = /^<!(?:DOCTYPE|ENTITY)/i.test(nameOf(this.b, p, p + 9));
    return isDoctype
      ? xmlError(
          this.b,
          p,
          "a document type is not supported",
          "The service never sends one; it could define entities.",
        )
      : xmlError(this.b, p, "expected a comment or a CDATA section");
  }

  private openName(): string {
    const level = (this.depth - 1) * 2;
    return utf8Text(this.b, this.open[level], this.open[level + 1]);
  }
}

function decoded(b: Uint8Array, start: number, end: number, place: TextPlace): string {
  const text = { bytes: new Uint8Array(end - start), end: 0 };
  decodeXML(b, start, end, place, text);
  return utf8Text(text.bytes, 0, text.end);
}

function equal(b: Uint8Array, start: number, end: number, c: Uint8Array, from: number, to: number): boolean {
  if (end - start !== to - from) return false;
  for (let p = start, q = from; p < end; p++, q++) if (b[p] !== c[q]) return false;
  return true;
}

/** Bytes as a string in which equal bytes are equal characters. */
const nameOf = (b: Uint8Array, start: number, end: number): string => latin1Text(b, start, end);

/** Letters, digits and #. */
const isReferenceByte = (c: number): boolean =>
  c === 0x23 || (c >= 0x30 && c <= 0x39) || ((c | 0x20) >= 0x61 && (c | 0x20) <= 0x7a);

/** The error for XML that is malformed or uses an unsupported part of XML. */
export function xmlError(b: Uint8Array, p: number, what: string, hint?: string): DataError {
  const offset = Math.min(p, b.length);
  const truncated = p >= b.length;
  const found = truncated ? "the end of the reply" : JSON.stringify(utf8Text(b, offset, offset + 20));
  return new DataError(`The XML cannot be read at byte ${offset}: ${what}; found ${found}.`, {
    code: "BadXml",
    offset,
    hint:
      hint ??
      (truncated
        ? "The reply is truncated; send the request again."
        : "The reply is not valid XML; check it at this byte."),
  });
}

import { readEnvelope } from "../format/json-envelope.js";

/**
 * Parses a list or object cell of CSV metadata (spec 2.7: "written as a single text cell"): JSON, or what a server's
 * language prints for such a value (`[{:name=>"date"}]`, `[date, ticker]`, `nil`). Undefined for anything else.
 */
export function readLiteral(text: string): unknown {
  try {
    return readEnvelope(new TextEncoder().encode(text), []).value;
  } catch {
    const reader = new LiteralReader(text.trim());
    return reader.whole();
  }
}

const DEEPEST = 20;

class LiteralReader {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  whole(): unknown {
    const value = this.value();
    return value !== undefined && this.at === this.text.length ? value : undefined;
  }

  private value(): unknown {
    this.space();
    if (this.depth > DEEPEST) return undefined;
    const next = this.text[this.at];
    if (next === "[") return this.items("]", () => this.value());
    if (next === "{") return this.members();
    if (next === '"' || next === "'") return this.quoted();
    return this.bare();
  }

  /** The items between this bracket and `end`, with commas between them. */
  private items<T>(end: string, read: () => T | undefined): T[] | undefined {
    const items: T[] = [];
    this.depth++;
    this.at++;
    if (!this.take(end)) {
      do {
        const item = read();
        if (item === undefined) return undefined;
        items.push(item);
      } while (this.take(","));
      if (!this.take(end)) return undefined;
    }
    this.depth--;
    this.space();
    return items;
  }

  private members(): object | undefined {
    const members = this.items("}", () => {
      const name = this.name();
      const value = name === undefined ? undefined : this.value();
      return value === undefined ? undefined : ([String(name), value] as const);
    });
    const byName = new Map(members);
    return byName.size === members?.length ? Object.fromEntries(byName) : undefined;
  }

  /** `"name"=>`, `:name=>`, `name: ` or `"name": `. */
  private name(): string | undefined {
    this.space();
    const quote = this.text[this.at];
    const name = quote === '"' || quote === "'" ? this.quoted() : this.word(/:?([A-Za-z_]\w*)/y);
    if (name === undefined || !(this.take("=>") || this.take(":"))) return undefined;
    return name;
  }

  private quoted(): string | undefined {
    const quote = this.text[this.at];
    let out = "";
    for (let at = this.at + 1; at < this.text.length; ) {
      const letter = this.text[at];
      if (letter === quote) {
        this.at = at + 1;
        this.space();
        return out;
      }
      if (letter !== "\\") {
        out += letter;
        at++;
        continue;
      }
      ESCAPE.lastIndex = at;
      const found = ESCAPE.exec(this.text);
      const text = found === null ? undefined : escapedText(found);
      if (text === undefined) return undefined;
      out += text;
      at = ESCAPE.lastIndex;
    }
    return undefined;
  }

  private bare(): unknown {
    const word = this.word(/([^,[\]{}"]+)/y)?.trim();
    if (word === undefined || word === "" || word.startsWith("#<")) return undefined;
    if (word === "nil" || word === "None") return null;
    if (word === "true" || word === "false") return word === "true";
    if (word.startsWith(":")) return word.slice(1);
    return this.depth > 0 && /^-?\d+(\.\d+)?$/.test(word) ? Number(word) : word;
  }

  private word(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (!match) return undefined;
    this.at = pattern.lastIndex;
    return match[1];
  }

  private take(token: string): boolean {
    this.space();
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private space(): void {
    while (this.text[this.at] === " " || this.text[this.at] === "\n") this.at++;
  }
}

/** A code point in hexadecimal as Ruby, Python and JSON print it, or one character. */
const ESCAPE = /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([^uUx]))/y;

const CONTROLS: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  f: "\f",
  v: "\v",
  "0": "\0",
};

/** The character that an escape denotes; undefined for an unknown letter or digit. */
function escapedText([, braced, four, eight, two, letter]: RegExpExecArray): string | undefined {
  const digits = braced ?? four ?? eight ?? two;
  if (digits !== undefined) {
    const code = Number.parseInt(digits, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
  }
  return CONTROLS[letter] ?? (/[\p{L}\p{N}]/u.test(letter) ? undefined : letter);
}

import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";

export function badCatalog(path: string, member: string, what: string): InputError {
  return new InputError(`${path}: ${member === "" ? "the catalogue" : member} ${what}`, {
    code: "BadCatalog",
    hint: "docs/server.md shows every member of a catalogue.",
  });
}

/** A value of a catalogue file with its path, for error messages. */
export class Member {
  constructor(
    readonly path: string,
    readonly name: string,
    readonly value: unknown,
  ) {}

  wrong(what: string): InputError {
    return badCatalog(this.path, this.name, what);
  }

  /** The members of an object; unknown ones are errors. */
  object(known: readonly string[]): (name: string) => Member {
    const { value } = this;
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw this.wrong("must be an object.");
    const member = (name: string): Member => {
      const inner = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
      return new Member(this.path, this.name === "" ? name : `${this.name}.${name}`, inner);
    };
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) throw member(name).wrong(`is not a member. ${suggestion(name, known, "members")}`);
    }
    return member;
  }

  list(): Member[] {
    if (!Array.isArray(this.value)) throw this.wrong("must be a list.");
    return this.value.map((value, i) => new Member(this.path, `${this.name}[${i}]`, value));
  }

  listOrNone(): Member[] {
    return this.value === undefined ? [] : this.list();
  }

  text(): string {
    if (typeof this.value !== "string" || this.value === "") throw this.wrong("must be a non-empty string.");
    return this.value;
  }

  textOrNull(): string | null {
    return this.value === undefined || this.value === null ? null : this.text();
  }

  code(): string {
    const code = this.text();
    if (!/^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(code)) {
      throw this.wrong("must be a code: letters, digits, _, - or . only, not starting with a dot.");
    }
    return code;
  }

  flag(): boolean {
    if (this.value === undefined) return false;
    if (typeof this.value !== "boolean") throw this.wrong("must be true or false.");
    return this.value;
  }

  count(otherwise: number): number {
    if (this.value === undefined) return otherwise;
    if (!Number.isSafeInteger(this.value) || (this.value as number) < 0) throw this.wrong("must be a whole number.");
    return this.value as number;
  }

  moment(): string | undefined {
    if (this.value === undefined) return undefined;
    const text = this.text();
    if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/.test(text) || Number.isNaN(Date.parse(text))) {
      throw this.wrong("must be a timestamp such as 2025-01-02T06:00:00Z.");
    }
    return text;
  }

  file(): string {
    const name = this.text();
    if (!/\.(csv|parquet)$/i.test(name)) throw this.wrong("must end in .csv or .parquet.");
    if (/^([/\\]|[A-Za-z]:)|(^|[/\\])\.\.([/\\]|$)/.test(name)) throw this.wrong("must be inside the data folder.");
    return name;
  }
}

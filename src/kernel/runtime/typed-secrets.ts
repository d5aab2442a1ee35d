import { escapeHtml } from "../../display/base/escape.js";
import type { Json } from "../protocol/message.js";

/** Shorter secrets may be common text, whose removal would garble outputs. */
const SHORTEST = 4;

/** Secrets that the user typed, which no message may contain, also escaped for HTML, an address or JSON. */
export class TypedSecrets {
  readonly #forms = new Set<string>();

  add(secret: string): void {
    if (secret.length < SHORTEST) return;
    const inJson = JSON.stringify(secret).slice(1, -1);
    for (const form of [secret, escapeHtml(secret), encodeURIComponent(secret), inJson]) this.#forms.add(form);
  }

  /** The content of a message with each secret replaced by `[secret]`. */
  removeFrom<T extends Json | undefined>(content: T): T {
    return this.#forms.size === 0 ? content : (this.#clean(content) as T);
  }

  #clean(value: Json | undefined): Json | undefined {
    if (typeof value === "string") {
      let text = value;
      for (const form of this.#forms) if (text.includes(form)) text = text.replaceAll(form, "[secret]");
      return text;
    }
    if (Array.isArray(value)) return value.map((item: Json) => this.#clean(item) ?? null);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [String(this.#clean(name)), this.#clean(member)]),
    );
  }
}

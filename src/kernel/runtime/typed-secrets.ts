import { escapeHtml } from "../../display/base/escape.js";
import { type Json, withTexts } from "../protocol/message.js";

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
    return this.#forms.size === 0 ? content : (withTexts(content, (text) => this.#clean(text)) as T);
  }

  #clean(text: string): string {
    return [...this.#forms].reduce((rest, form) => rest.replaceAll(form, "[secret]"), text);
  }
}

import { escapeHtml } from "../../display/base/escape.js";
import type { Json } from "../protocol/message.js";

/** Shorter secrets may be common text, whose removal would garble outputs. */
const SHORTEST = 4;

/** Secrets that the user typed, which no message of the kernel may contain. */
export interface TypedSecrets {
  add(secret: string): void;
  /** The content of a message with each secret replaced by `[secret]`. */
  removeFrom<T extends Json | undefined>(content: T): T;
}

/** Removes secrets also where they are escaped for HTML, an address or JSON. */
export function typedSecrets(): TypedSecrets {
  const forms = new Set<string>();

  const clean = (value: Json | undefined): Json | undefined => {
    if (typeof value === "string") {
      let text = value;
      for (const form of forms) if (text.includes(form)) text = text.replaceAll(form, "[secret]");
      return text;
    }
    if (Array.isArray(value)) return value.map((item: Json) => clean(item) ?? null);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [String(clean(name)), clean(member)]));
  };

  return {
    add(secret) {
      if (secret.length < SHORTEST) return;
      for (const form of [
        secret,
        escapeHtml(secret),
        encodeURIComponent(secret),
        JSON.stringify(secret).slice(1, -1),
      ]) {
        forms.add(form);
      }
    },
    removeFrom: <T extends Json | undefined>(content: T): T => (forms.size === 0 ? content : (clean(content) as T)),
  };
}

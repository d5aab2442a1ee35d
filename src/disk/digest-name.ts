import { builtin } from "../package/builtin.js";

/**
 * A name for a file, made of a digest of what it belongs to: 32 hexadecimal digits that reveal neither the query nor a
 * key.
 */
export function digestName(...parts: readonly string[]): string {
  return builtin("node:crypto").createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
}

import { inspect } from "node:util";
import { ownBundle } from "../stock-hook.js";

/** A MIME bundle of a result. */
export type ResultBundle = Readonly<Record<string, unknown>>;

const SHOWN_ITEMS = 100;

/**
 * What a cell's last value shows: always text, and whatever the value says of itself through
 * `Symbol.for("Jupyter.display")`, waited for when it is a promise.
 */
export async function resultBundle(value: unknown): Promise<ResultBundle> {
  const own = await ownBundle(value);
  if (typeof own === "object" && own !== null) {
    const bundle = own as ResultBundle;
    return "text/plain" in bundle ? bundle : { ...bundle, "text/plain": plainText(value) };
  }
  return { "text/plain": plainText(value), ...pictureOf(value) };
}

/** A value as text, as `console.log` has it: without colours, not too deep and not too long. */
export function plainText(value: unknown): string {
  return typeof value === "string" ? value : inspect(value, { colors: false, depth: 2, maxArrayLength: SHOWN_ITEMS });
}

/** Values that are HTML or SVG elements (of any DOM made in JavaScript) show as such. */
function pictureOf(value: unknown): ResultBundle {
  const html = (value as { outerHTML?: unknown } | null)?.outerHTML;
  if (typeof html !== "string") return {};
  return html.startsWith("<svg") ? { "image/svg+xml": html } : { "text/html": html };
}

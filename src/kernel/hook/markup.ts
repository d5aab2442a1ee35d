import { escapeHtml } from "../../display/base/escape.js";
import { type Bundle, JUPYTER_DISPLAY, showAs } from "../../display/base/show.js";

type MarkupType = "text/html" | "text/markdown";

/** HTML or Markdown that notebooks render. */
export class Markup {
  constructor(
    readonly type: MarkupType,
    readonly source: string,
  ) {
    Object.freeze(this);
  }

  /** The source. */
  toString(): string {
    return this.source;
  }
}

showAs(Markup.prototype, {
  bundle: ({ type, source }) => ({ [type]: source, "text/plain": source }),
  text: ({ source }) => source,
});

/**
 * HTML of a template. Values are escaped, except those that are rendered as HTML: frames, and other results of this
 * function. The elements of an array follow each other; null and undefined are empty.
 *
 * @example
 * ```ts no-run
 * html`<h2>${name}</h2><ul>${names.map((each) => html`<li>${each}</li>`)}</ul>${frame}`
 * ```
 */
export function html(parts: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  return markup("text/html", escapeHtml, parts, values);
}

/**
 * Markdown of a template. Values are escaped as in {@link html}, so that they are text of one line; those that are
 * rendered as Markdown or HTML are kept.
 *
 * @example
 * ```ts no-run
 * md`**${frame.numRows}** rows of ${name}`
 * ```
 */
export function md(parts: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  return markup("text/markdown", escapeMarkdown, parts, values);
}

function markup(
  type: MarkupType,
  escaped: (text: string) => string,
  parts: TemplateStringsArray,
  values: readonly unknown[],
): Markup {
  const text = (value: unknown): string => {
    if (value === undefined || value === null) return "";
    if (Array.isArray(value)) return value.map(text).join("");
    const bundle = (value as { [JUPYTER_DISPLAY]?: () => Bundle })[JUPYTER_DISPLAY]?.();
    const own = bundle?.[type] ?? bundle?.["text/html"];
    return typeof own === "string" ? own : escaped(String(value));
  };
  return new Markup(
    type,
    parts.reduce((before, part, i) => before + text(values[i - 1]) + part),
  );
}

/** Math and HTML are escaped by entities, as front ends find math before they read Markdown. */
const ENTITIES = /[\\$&<>]/;
const MARKS = /[\\$&<>`*_~[\]|#]|(?<=^ ?)[-+=]|(?<=^ ?\d+)[.)](?= |$)/g;

function escapeMarkdown(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.replace(MARKS, (sign) => (ENTITIES.test(sign) ? `&#${sign.charCodeAt(0)};` : `\\${sign}`));
}

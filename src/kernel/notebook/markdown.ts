import { escapeHtml } from "../../display/base/escape.js";
import { highlighted } from "./highlight.js";
import type { MimeBundle, NotebookCell } from "./notebook-file.js";
import { joined } from "./notebook-file.js";

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/**
 * A markdown cell as HTML: raw HTML in it is shown as text, links leave only to the web, pictures come from
 * attachments.
 */
export async function markdownHtml(cell: Pick<NotebookCell, "source" | "attachments">): Promise<string> {
  const { Marked } = await import("marked");
  const attachments = cell.attachments ?? {};
  const marked = new Marked({
    async: false,
    gfm: true,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      code: ({ text, lang }) =>
        `<pre class="code">${/^(ts|js|typescript|javascript)\b/.test(lang ?? "") ? highlighted(text) : escapeHtml(text)}</pre>\n`,
      image: ({ href, text }) => {
        const source = pictureSource(href, attachments);
        return source === undefined ? escapeHtml(text) : `<img src="${source}" alt="${escapeHtml(text)}">`;
      },
      link({ href, title, tokens }) {
        const inner = this.parser.parseInline(tokens);
        if (!/^(https?:|mailto:|#|[\w./-]+$)/i.test(href)) return inner;
        const hint = title ? ` title="${escapeHtml(title)}"` : "";
        return `<a href="${escapeHtml(href)}"${hint}>${inner}</a>`;
      },
    },
  });
  return marked.parse(joined(cell.source)) as string;
}

function pictureSource(href: string, attachments: { readonly [name: string]: MimeBundle }): string | undefined {
  if (/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(href)) return href;
  if (!href.startsWith("attachment:")) return undefined;
  const bundle = attachments[decodeURIComponent(href.slice("attachment:".length))];
  return bundle && pictureData(bundle);
}

/** The first raster picture of a bundle as an address, or undefined when there is none or its text is not base64. */
export function pictureData(bundle: MimeBundle): string | undefined {
  for (const mime of PICTURES) {
    const value = bundle[mime];
    if (value === undefined) continue;
    const text = (Array.isArray(value) ? value.join("") : String(value)).replace(/\s/g, "");
    if (/^[A-Za-z0-9+/]+=*$/.test(text)) return `data:${mime};base64,${text}`;
  }
  return undefined;
}

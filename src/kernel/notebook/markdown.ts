import { escapeHtml } from "../../display/base/escape.js";
import { joined, type MimeBundle, type NotebookCell } from "./notebook-file.js";

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/**
 * Renders a markdown cell as HTML: raw HTML is shown as text, links may only point to the web, images come from
 * attachments. Headings are added to `found` and get its ids.
 */
export async function markdownHtml(
  cell: Pick<NotebookCell, "source" | "attachments">,
  found?: Headings,
): Promise<string> {
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
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        if (found === undefined) return `<h${depth}>${inner}</h${depth}>\n`;
        const id = found.add(depth, plainText(inner));
        return `<h${depth} id="${escapeHtml(id)}">${inner}</h${depth}>\n`;
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

function plainText(html: string): string {
  const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#96": "`" };
  return html.replace(/<[^>]*>/g, "").replace(/&([a-z]+|#\d+);/g, (whole, name: string) => entities[name] ?? whole);
}

function pictureSource(href: string, attachments: { readonly [name: string]: MimeBundle }): string | undefined {
  if (/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(href)) return href;
  if (!href.startsWith("attachment:")) return undefined;
  const bundle = attachments[decodeURIComponent(href.slice("attachment:".length))];
  return bundle && pictureData(bundle);
}

/** The first raster image of a bundle as a data URL; undefined if there is none or it is not valid base64. */
export function pictureData(bundle: MimeBundle): string | undefined {
  for (const mime of PICTURES) {
    const value = bundle[mime];
    if (value === undefined) continue;
    const text = (Array.isArray(value) ? value.join("") : String(value)).replace(/\s/g, "");
    if (/^[A-Za-z0-9+/]+=*$/.test(text)) return `data:${mime};base64,${text}`;
  }
  return undefined;
}

const FEWEST = 2;
const DEEPEST = 3;

/** The headings of a page, collected while its cells are rendered. */
export class Headings {
  readonly #all: { readonly id: string; readonly level: number; readonly text: string }[] = [];
  readonly #used = new Set<string>();

  /** Adds a heading; returns its id, which is unique in the page. */
  add(level: number, text: string): string {
    const slug = `section-${
      text
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu)
        ?.join("-") ?? "untitled"
    }`;
    let id = slug;
    for (let n = 2; this.#used.has(id); n++) id = `${slug}-${n}`;
    this.#used.add(id);
    this.#all.push({ id, level, text });
    return id;
  }

  /** The table of contents as HTML; empty if the page has fewer than two headings below its title. */
  html(): string {
    const [first, ...rest] = this.#all;
    const listed = (first?.level === 1 ? rest : this.#all).filter(({ level }) => level <= DEEPEST);
    if (listed.length < FEWEST) return "";
    const items = listed.map(
      ({ id, level, text }) => `<li class="level${level}"><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`,
    );
    return `<nav aria-label="Contents"><details open><summary>Contents</summary>\n<ul>\n${items.join("\n")}\n</ul></details></nav>\n`;
  }
}

const KEYWORDS =
  "abstract any as async await boolean break case catch class const continue declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number object of private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined unknown var void while yield";

const TOKEN = new RegExp(
  [
    "(?<comment>//[^\\n]*|/\\*[\\s\\S]*?\\*/)",
    "(?<text>\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'|`(?:\\\\[\\s\\S]|[^`\\\\])*`)",
    "(?<number>\\b(?:0[xob][\\da-f_]+|\\d[\\d_]*(?:\\.\\d+)?(?:e[+-]?\\d+)?)n?\\b)",
    `(?<keyword>(?<![.\\w])(?:${KEYWORDS.replaceAll(" ", "|")})\\b)`,
    "\\w+",
  ].join("|"),
  "gi",
);

/** TypeScript as HTML with comments, strings, numbers and keywords marked. */
export function highlighted(code: string): string {
  let html = "";
  let from = 0;
  for (const match of code.matchAll(TOKEN)) {
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    if (kind === undefined) continue;
    html += escapeHtml(code.slice(from, match.index));
    html += `<span class="${kind}">${escapeHtml(match[0])}</span>`;
    from = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(from));
}

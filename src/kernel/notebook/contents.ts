import { escapeHtml } from "../../display/base/escape.js";

/** A heading of a page. */
interface Heading {
  /** The element's id, unique in the page. */
  readonly id: string;
  /** 1 to 6. */
  readonly level: number;
  readonly text: string;
}

/** The headings of a page, collected while its cells are rendered. */
export interface Headings {
  /** Adds a heading; returns its id. */
  add(level: number, text: string): string;
  /** The table of contents as HTML; empty if the page has fewer than two headings below its title. */
  html(): string;
}

const FEWEST = 2;
const DEEPEST = 3;

/** Creates an empty list of headings. */
export function headings(): Headings {
  const all: Heading[] = [];
  const used = new Set<string>();
  return {
    add(level, text) {
      const slug = `section-${
        text
          .toLowerCase()
          .match(/[\p{L}\p{N}]+/gu)
          ?.join("-") ?? "untitled"
      }`;
      let id = slug;
      for (let n = 2; used.has(id); n++) id = `${slug}-${n}`;
      used.add(id);
      all.push({ id, level, text });
      return id;
    },
    html() {
      const [first, ...rest] = all;
      const listed = (first?.level === 1 ? rest : all).filter(({ level }) => level <= DEEPEST);
      if (listed.length < FEWEST) return "";
      const items = listed.map(
        ({ id, level, text }) => `<li class="level${level}"><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`,
      );
      return `<nav aria-label="Contents"><details open><summary>Contents</summary>\n<ul>\n${items.join("\n")}\n</ul></details></nav>\n`;
    },
  };
}

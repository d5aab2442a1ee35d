/** A node of parsed HTML: an element with attributes and children, or text. */
export type HtmlNode = HtmlElement | string;

export interface HtmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: HtmlNode[];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#96": "`" };
const VOID = new Set(["br", "img"]);

const decode = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39|#96);/g, (_, name: string) => ENTITIES[name]);

/**
 * Reads the strict HTML this package writes: every tag well-formed, every attribute quoted, every element closed, only
 * the entities the escaper makes. Anything else throws, so that an injected tag cannot pass as text.
 */
export function parseHtml(html: string): HtmlElement {
  const root: HtmlElement = { name: "", attributes: new Map(), children: [] };
  const open = [root];
  const token = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)>|[^<>]+|([<>])/gy;
  for (let match = token.exec(html); match !== null; match = token.exec(html)) {
    const [whole, close, name, attributes, stray] = match;
    if (stray !== undefined)
      throw new Error(`stray ${stray} at ${match.index}: ${html.slice(match.index, match.index + 40)}`);
    const parent = open[open.length - 1];
    if (name === undefined) {
      if (/&(?!(?:amp|lt|gt|quot|#39|#96);)/.test(whole)) throw new Error(`stray & in ${whole}`);
      parent.children.push(decode(whole));
    } else if (close) {
      if (parent.name !== name) throw new Error(`</${name}> closes <${parent.name}>`);
      open.pop();
    } else {
      const pairs = [...attributes.matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(
        ([, key, value]) => [key, decode(value)] as const,
      );
      const element: HtmlElement = { name, attributes: new Map(pairs), children: [] };
      parent.children.push(element);
      if (!VOID.has(name)) open.push(element);
    }
    if (token.lastIndex === html.length) break;
  }
  if (open.length !== 1) throw new Error(`<${open[open.length - 1].name}> is not closed`);
  return root;
}

/** Every element below a node, itself included. */
export function* elementsOf(node: HtmlElement): Generator<HtmlElement> {
  yield node;
  for (const child of node.children) if (typeof child !== "string") yield* elementsOf(child);
}

export const textOf = (node: HtmlNode): string =>
  typeof node === "string" ? node : node.children.map(textOf).join("");

/** The texts of the rows of the first table. */
export function cellsOf(page: HtmlElement): string[][] {
  return [...elementsOf(page)]
    .filter(({ name }) => name === "tr")
    .map((row) => row.children.filter((child) => typeof child !== "string").map(textOf));
}

/** Every text of the page. */
export const textsOf = (page: HtmlElement): string[] =>
  [...elementsOf(page)].flatMap(({ children }) => children.filter((child) => typeof child === "string"));

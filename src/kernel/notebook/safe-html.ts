import type { Attributes, IOptions } from "sanitize-html";

/**
 * Allows tables, text, images and links, as results contain. Other elements lose their tags, and scripts and styles
 * also their content.
 */
const OPTIONS: IOptions = {
  allowedTags: [
    ..."a abbr b blockquote br caption code col colgroup dd del details div dl dt em figcaption figure".split(" "),
    ..."h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strong sub summary sup".split(" "),
    ..."table tbody td tfoot th thead time tr u ul var meter progress".split(" "),
  ],
  allowedAttributes: {
    "*": ["class", "style", "title", "lang", "dir", "align", "valign", "width", "height", "aria-label", "role"],
    a: ["href"],
    img: ["src", "alt"],
    table: ["border"],
    td: ["colspan", "rowspan"],
    th: ["colspan", "rowspan", "scope"],
    col: ["span"],
    details: ["open"],
    ol: ["start"],
    meter: ["value", "min", "max"],
    progress: ["value", "max"],
    time: ["datetime"],
  },
  allowedSchemes: ["http", "https", "mailto"],
  // Images must be inline: the page is self-contained, and opening it sends no request.
  allowedSchemesByTag: { img: ["data"] },
  allowProtocolRelative: false,
  transformTags: { a: (tagName, attribs) => ({ tagName, attribs: outward(attribs) }) },
  parseStyleAttributes: false,
  exclusiveFilter: (frame) =>
    frame.tag === "img" && !/^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/i.test(frame.attribs["src"] ?? ""),
};

/** Links point to the web or within the page; a relative one would be broken. */
function outward(attribs: Attributes): Attributes {
  const { href, ...rest } = attribs;
  return href !== undefined && /^(https?:|mailto:|#)/i.test(href) ? { ...rest, href } : rest;
}

/** Removes everything from an output's HTML that could run, load or leave the page. */
export async function safeHtml(html: string): Promise<string> {
  const { default: sanitize } = await import("sanitize-html");
  return sanitize(html, OPTIONS);
}

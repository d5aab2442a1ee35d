import { escapeHtml } from "../../display/base/escape.js";

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

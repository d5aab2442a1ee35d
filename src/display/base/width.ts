const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/**
 * Strings in which every code unit is one character of one column: no marks, no emoji, no wide characters. Avoids
 * loading the segmenter.
 */
const PLAIN =
  /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2200-\u22ff\u2400-\u2421\u2500-\u259f]*$/;

let segmenter: Intl.Segmenter | undefined;

/** The grapheme clusters of a string: combining marks and joined emoji belong to their base. */
function graphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

/** Width of `text` in terminal columns: two for East Asian wide characters and emoji, none for combining marks. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const sign of graphemes(text)) width += ZERO.test(sign) ? 0 : WIDE.test(sign) ? 2 : 1;
  return width;
}

/** Truncates `text` to `limit` terminal columns, ending in `…`; never splits a grapheme cluster. */
export function cutTo(text: string, limit: number): string {
  if (PLAIN.test(text)) return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
  const head = text.length > 8 * limit + 64 ? text.slice(0, 8 * limit + 64) : text;
  let width = 0;
  let cut = "";
  for (const sign of graphemes(head)) {
    const next = ZERO.test(sign) ? 0 : WIDE.test(sign) ? 2 : 1;
    if (width + next > limit) return `${shorten(cut, limit - 1)}…`;
    width += next;
    cut += sign;
  }
  return head === text ? cut : `${shorten(cut, limit - 1)}…`;
}

function shorten(text: string, limit: number): string {
  const signs = graphemes(text);
  while (signs.length > 0 && widthOf(signs.join("")) > limit) signs.pop();
  return signs.join("");
}

/** Pads `text` with spaces to `width` columns, on the left (`right`) or on the right. */
export function pad(text: string, width: number, right: boolean): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return right ? space + text : text + space;
}

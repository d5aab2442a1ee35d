import { synonymsOf } from "./synonyms.js";

/**
 * The names closest to `name`, best first, at most `count`: suggestions for a misspelt column or option value. A name
 * is close if at most a third of its letters differ, ignoring case.
 */
export function nearest(name: string, names: Iterable<string>, count = 3): string[] {
  const wanted = name.toLowerCase();
  const scored: [number, string][] = [];
  for (const candidate of names) {
    const other = candidate.toLowerCase();
    const distance = editDistance(wanted, other);
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3));
    if (distance <= allowed || (wanted.length > 2 && other.includes(wanted))) scored.push([distance, candidate]);
  }
  return scored
    .sort((a, b) => a[0] - b[0])
    .slice(0, count)
    .map(([, candidate]) => candidate);
}

/** Levenshtein distance with adjacent swaps counted once. */
function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...new Array<number>(b.length).fill(0)]);
  for (let j = 0; j <= b.length; j++) rows[0][j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[a.length][b.length];
}

/**
 * The sentence that ends an unknown-name error: `Did you mean "close"?`, or the list of names if none is close. A name
 * that other libraries use is answered with ours.
 */
export function suggestion(name: string, names: readonly string[], what: string): string {
  const synonyms = synonymsOf(name, names);
  const close = synonyms.length > 0 ? synonyms : nearest(name, names);
  if (close.length > 0) return `Did you mean ${close.map((c) => JSON.stringify(c)).join(" or ")}?`;
  const shown = names.slice(0, 12).map((n) => JSON.stringify(n));
  return `The ${what} are ${shown.join(", ")}${names.length > 12 ? `, … (${names.length} in all)` : ""}.`;
}

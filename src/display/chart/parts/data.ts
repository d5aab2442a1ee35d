import { chunkReader } from "../../../columns/arrow/cell-reader.js";
import { vectorToNumbers } from "../../../columns/arrow/vector-values.js";
import type { Channel, Choice } from "./channel.js";

/** One datum of the spec. The member names are fixed, so that a column name never becomes part of an expression. */
export type Datum = Readonly<Record<string, string | number | boolean | null>>;

export interface ChartValues {
  readonly values: readonly Datum[];
  /** Phrases for the caption: points omitted, merged, or rejected by a logarithmic axis. */
  readonly notes: readonly string[];
  readonly rows: number;
}

export function ascending(rows: number[], xs: Float64Array): number[] {
  for (let i = 1; i < rows.length; i++) if (xs[rows[i]] < xs[rows[i - 1]]) return rows.sort((a, b) => xs[a] - xs[b]);
  return rows;
}

/** Positions on the x axis as numbers: timestamps in milliseconds, numbers, or the row number for text. */
export function xNumbers(x: Channel | undefined, numRows: number): Float64Array {
  if (x !== undefined && x.scale !== "text") return vectorToNumbers(x.vector);
  return Float64Array.from({ length: numRows }, (_, row) => row);
}

/**
 * Returns a function that makes the x member of a datum: milliseconds since 1970 for dates, the number, or the text of
 * the cell.
 */
export function datumMaker(x: Channel | undefined, xs: Float64Array): (row: number) => { x: string | number } {
  if (x === undefined || x.scale !== "text") return (row) => ({ x: xs[row] });
  const { codes, words } = labels(x);
  return (row) => ({ x: words[codes[row]] });
}

/** A column as codes of its distinct texts; null is the text `null`. */
export interface Labels {
  readonly codes: Uint32Array;
  readonly words: readonly string[];
}

export function labels({ vector }: Channel): Labels {
  const places = new Map<string, number>();
  const codes = new Uint32Array(vector.length);
  let at = 0;
  for (const data of vector.data) {
    const { valid, text } = chunkReader(data);
    for (let i = 0; i < data.length; i++, at++) {
      const word = valid(i) ? text(i) : "null";
      let code = places.get(word);
      if (code === undefined) {
        code = places.size;
        places.set(word, code);
      }
      codes[at] = code;
    }
  }
  return { codes, words: [...places.keys()] };
}

/** The rows of one colour, one facet and one step of x, and the members of their data. */
export interface Group {
  readonly rows: readonly number[];
  readonly tags: Datum;
}

/** Splits the rows by colour, facet and step of x, in order of first appearance; one group of all rows without any. */
export function groupsOf({ color, facet }: Pick<Choice, "color" | "facet">, numRows: number, x?: Labels): Group[] {
  const parts = [
    ["color", color === undefined ? undefined : labels(color)],
    ["facet", facet === undefined ? undefined : labels(facet)],
    ["x", x],
  ].filter((part): part is [string, Labels] => part[1] !== undefined);
  if (parts.length === 0) return [{ rows: Array.from({ length: numRows }, (_, row) => row), tags: {} }];
  const groups = new Map<number, number[]>();
  for (let row = 0; row < numRows; row++) {
    let code = 0;
    for (const [, { codes, words }] of parts) code = code * words.length + codes[row];
    const rows = groups.get(code);
    if (rows === undefined) groups.set(code, [row]);
    else rows.push(row);
  }
  return Array.from(groups.values(), (rows) => ({
    rows,
    tags: Object.fromEntries(parts.map(([name, { codes, words }]) => [name, words[codes[rows[0]]]])),
  }));
}

/** The codes with the most rows, ties in order of first appearance. */
export function largest({ codes, words }: Labels, most: number): Set<number> {
  const counts = new Float64Array(words.length);
  for (const code of codes) counts[code]++;
  return new Set([...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b).slice(0, most));
}

/** The least number 1, 2 or 5 times a power of ten that is not below `step`. */
export function roundStep(step: number): number {
  if (!(step > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(step));
  return power * ([1, 2, 5].find((factor) => factor * power >= step) ?? 10);
}

/** Removes the noise of binary fractions from the bound of a bin. */
export const clean = (value: number): number => Number(value.toPrecision(12));

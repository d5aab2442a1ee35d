import {
  type Data,
  type DataType,
  Dictionary,
  Int32,
  LargeUtf8,
  makeData,
  Schema,
  Table,
  Utf8,
  Utf8View,
  Vector,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { recordBatch } from "../../src/columns/arrow/record-batch.js";
import { fieldOf } from "../../src/columns/arrow/schema.js";
import type { Random } from "../fuzz/random.js";

export type Texts = readonly (string | null)[];

/** Texts that repeat or not, with nulls, empty text, a byte order mark and characters of each length in UTF-8. */
export function randomTexts(random: Random, rows: number): Texts {
  const distinct = random.pick([2, 300, 1 << 30]);
  const nulls = random.pick([0, 2, 10]);
  const ends = ["", "é", "\u{1F600}", "\uFEFF"];
  return Array.from({ length: rows }, () => {
    if (nulls > 0 && random.oneIn(nulls)) return null;
    const n = random.below(distinct);
    return n === 0 ? "" : `${random.pick(["\uFEFF", "", "", ""])}${n}${ends[n % ends.length]}`;
  });
}

/** Layouts of text; a dictionary for each chunk, in which values and nulls may repeat, or one for all. */
export const LAYOUTS = ["utf8", "large", "view", "dictionaries", "dictionary"] as const;
export type Layout = (typeof LAYOUTS)[number];

/** A column in chunks of random lengths, each of which may be a slice of a longer one. */
export function chunked(random: Random, texts: Texts, layout: Layout, cuts: readonly number[]): Vector {
  const shared = layout === "dictionary" ? entries(random, texts) : undefined;
  const type = shared === undefined && layout === "dictionaries" ? dictionaryType() : shared?.type;
  const chunks: Data[] = [];
  let from = 0;
  for (const length of cuts) {
    const part = texts.slice(from, from + length);
    const [before, after] = [random.below(3), random.below(3)];
    const longer = [...texts.slice(0, before), ...part, ...texts.slice(0, after)];
    const at = Math.min(before, texts.length);
    chunks.push(
      dataOf(random, longer, layout, shared ?? (type && { ...entries(random, longer), type })).slice(at, length),
    );
    from += length;
  }
  return new Vector(chunks);
}

interface Entries {
  readonly type: Dictionary;
  readonly vector: Vector;
  readonly codes: ReadonlyMap<string | null, readonly number[]>;
}

const dictionaryType = (): Dictionary => new Dictionary(new Utf8(), new Int32());

function entries(random: Random, texts: Texts): Entries {
  const list: (string | null)[] = [...new Set(texts)].filter((text) => text !== null || random.oneIn(2));
  for (const text of list.slice(0, 2)) if (random.oneIn(2)) list.push(text);
  const codes = new Map<string | null, number[]>();
  for (const [code, text] of list.entries()) codes.set(text, [...(codes.get(text) ?? []), code]);
  const vector = vectorFromArray(list, new Utf8());
  return { type: dictionaryType(), vector: list.length === 0 ? vectorFromArray([""], new Utf8()) : vector, codes };
}

function dataOf(random: Random, texts: Texts, layout: Layout, dictionary: Entries | undefined): Data {
  if (dictionary === undefined) {
    const plain: DataType = layout === "large" ? new LargeUtf8() : layout === "view" ? new Utf8View() : new Utf8();
    return vectorFromArray(texts as string[], plain as Utf8).data[0];
  }
  const { type, vector, codes } = dictionary;
  const data = new Int32Array(texts.length);
  const nullBitmap = new Uint8Array((texts.length + 7) >> 3);
  for (const [i, text] of texts.entries()) {
    const found = codes.get(text);
    if (found === undefined) continue;
    data[i] = random.pick(found);
    nullBitmap[i >> 3] |= 1 << (i & 7);
  }
  return makeData({ type, length: texts.length, data, nullBitmap, dictionary: vector });
}

/** Lengths of batches that add up to so many rows, some of none, some of more rows than readers make. */
export function randomCuts(random: Random, rows: number): readonly number[] {
  const cuts: number[] = [];
  for (let left = rows; left > 0; ) {
    const length = random.oneIn(5) ? 0 : Math.min(left, 1 + random.below(random.pick([left, 10, rows])));
    cuts.push(length);
    left -= length;
  }
  return cuts.length === 0 ? [0] : cuts;
}

/** A table of columns that are cut alike. */
export function tableOfChunks(columns: Readonly<Record<string, Vector>>): Table {
  const vectors = Object.values(columns);
  const fields = Object.entries(columns).map(([name, { type }]) => fieldOf({ name, type: "String" }).clone({ type }));
  const schema = new Schema(fields);
  const batches = vectors[0].data.map((data, k) =>
    recordBatch(
      schema,
      vectors.map((vector) => vector.data[k]),
      data.length,
    ),
  );
  return new Table(schema, batches);
}

import type { Data, Vector } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { isPlainText } from "./strings.js";

/** The most members of an enum: creating the type takes a call a member. */
const MOST_MEMBERS = 65_536;
/** Fewer rows a member do not pay for the type. */
const ROWS_PER_MEMBER = 8;

/** By the first chunk of the dictionary: batches that share its chunks may have a vector each. */
const known = new WeakMap<
  Data,
  { readonly chunks: readonly Data[]; readonly members: readonly string[] | undefined }
>();

/**
 * The strings of the dictionary that all batches of a text column share, if its indices can be read as an enum of the
 * engine: few strings for the rows, none null or twice.
 */
export function enumMembers(column: Vector): readonly string[] | undefined {
  const dictionary = (column.data[0] as Data | undefined)?.dictionary as Vector | undefined;
  const chunks = dictionary?.data as readonly Data[] | undefined;
  if (dictionary === undefined || chunks === undefined || dictionary.nullCount > 0) return undefined;
  const { length } = dictionary;
  if (length === 0 || length > MOST_MEMBERS || length * ROWS_PER_MEMBER > column.length) return undefined;
  if (!isPlainText(dictionary.type)) return undefined;
  const isShared = column.data.every(({ dictionary: other }) => {
    const others = (other as Vector | undefined)?.data as readonly Data[] | undefined;
    return others?.length === chunks.length && others.every((data, i) => data === chunks[i]);
  });
  if (!isShared) return undefined;
  let entry = known.get(chunks[0]);
  if (entry?.chunks.length !== chunks.length || !chunks.every((data, i) => data === entry?.chunks[i])) {
    entry = { chunks, members: membersOf(chunks) };
    known.set(chunks[0], entry);
  }
  return entry.members;
}

/** The strings; undefined if one occurs twice, or has a NUL, at which the bindings cut them off. */
function membersOf(chunks: readonly Data[]): readonly string[] | undefined {
  const members = chunks.flatMap((data) => {
    const { value } = chunkReader(data);
    return Array.from({ length: data.length }, (_, i) => String(value(i)));
  });
  const isDistinct = new Set(members).size === members.length;
  return isDistinct && !members.some((text) => text.includes("\0")) ? members : undefined;
}

import { type Data, Type, type Vector } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import type { ScanSource } from "../contract/scan-source.js";
import { isPlainText } from "./strings.js";

/** The most members of an enum: creating the type takes a call a member, for each statement. */
const MOST_MEMBERS = 4_096;

/** By the first chunk of the dictionary: batches that share its chunks may have a vector each. */
const known = new WeakMap<
  Data,
  { readonly chunks: readonly Data[]; readonly members: readonly string[] | undefined }
>();

/**
 * The strings of the dictionary that all batches of a text column share, if its indices can be read as an enum of the
 * engine: few strings, none null or twice.
 */
export function enumMembers({ schema, whole }: ScanSource, at: number): readonly string[] | undefined {
  if (schema.fields[at].type.typeId !== Type.Dictionary) return undefined;
  const batches = whole(at).data as readonly Data[];
  const dictionary = batches[0]?.dictionary as Vector | undefined;
  if (dictionary === undefined || dictionary.nullCount > 0 || !isPlainText(dictionary.type)) return undefined;
  if (dictionary.length === 0 || dictionary.length > MOST_MEMBERS) return undefined;
  const chunks = dictionary.data as readonly Data[];
  const isShared = batches.every(({ dictionary: other }) => {
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

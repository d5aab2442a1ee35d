import { hasExtension, type Profile } from "../../spec/profile.js";
import { percentDecoded } from "../../value/text.js";

export interface QueryValues {
  readonly values: readonly string[];
  /** Spelt `x[]=`: each value is one item, whatever it contains. */
  readonly isList: boolean;
}

/** Names that services of this kind used before, and those of today. */
const OLDER_NAMES: ReadonlyMap<string, string> = new Map([
  ["rows", "limit"],
  ["trim_start", "start_date"],
  ["trim_end", "end_date"],
  ["sort_order", "order"],
  ["transformation", "transform"],
]);

/**
 * Decodes the names and values of a query, by the spellings that the profile allows; undefined unless it is
 * percent-encoded UTF-8. Where an older name and its successor are both present, the successor counts.
 */
export function queryPairs(query: string, profile: Profile): ReadonlyMap<string, QueryValues> | undefined {
  const pairs = new Map<string, { readonly values: string[]; isList: boolean }>();
  for (const part of query.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = percentDecoded((equals < 0 ? part : part.slice(0, equals)).replaceAll("+", " "));
    const value = percentDecoded((equals < 0 ? "" : part.slice(equals + 1)).replaceAll("+", " "));
    if (name === undefined || value === undefined) return undefined;
    const isList = name.endsWith("[]") && hasExtension(profile, "lists");
    const bare = isList ? name.slice(0, -2) : name;
    const before = pairs.get(bare);
    if (before === undefined) {
      pairs.set(bare, { values: [value], isList });
      continue;
    }
    before.values.push(value);
    before.isList ||= isList;
  }
  return hasExtension(profile, "olderNames") ? renamed(pairs) : pairs;
}

function renamed(pairs: ReadonlyMap<string, QueryValues>): ReadonlyMap<string, QueryValues> {
  const all = new Map<string, QueryValues>();
  for (const [name, values] of pairs) {
    const today = OLDER_NAMES.get(name);
    if (today === undefined) all.set(name, values);
    else if (!pairs.has(today)) all.set(today, values);
  }
  return all;
}

export function keyNames(profile: Profile): readonly string[] {
  const { value } = profile.keyParameter;
  return hasExtension(profile, "olderNames") ? [value, "auth_token", "authtoken"] : [value];
}

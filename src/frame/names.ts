export { columnIndex, namesOf } from "../columns/names.js";

/** The names as keys of an object: a repeated name gets `_2`, `_3`, … so that no column is lost. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  return names.map((name) => {
    let key = name;
    for (let n = 2; seen.has(key) || (key !== name && taken.has(key)); n++) key = `${name}_${n}`;
    seen.add(key);
    return key;
  });
}

/** Most entries of a `Map`: one more is a RangeError of V8. */
const MOST_ENTRIES = 2 ** 24 - 1;

/** A map of any size, for keys of which there may be one for each row. */
export class LargeMap<Key, Value> {
  private readonly maps: Map<Key, Value>[] = [new Map()];

  /** @param most entries of one of the maps that it consists of */
  constructor(private readonly most = MOST_ENTRIES) {}

  get size(): number {
    return (this.maps.length - 1) * this.most + this.last.size;
  }

  get(key: Key): Value | undefined {
    const found = this.maps[0].get(key);
    if (found !== undefined || this.maps.length === 1) return found;
    for (let i = 1; i < this.maps.length; i++) {
      const value = this.maps[i].get(key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  set(key: Key, value: Value): void {
    const held = this.maps.length === 1 ? undefined : this.maps.find((map) => map.has(key));
    if (held === undefined && this.last.size >= this.most && !this.last.has(key)) this.maps.push(new Map());
    (held ?? this.last).set(key, value);
  }

  /** The keys in the order in which they were first set. */
  *keys(): Generator<Key> {
    for (const map of this.maps) yield* map.keys();
  }

  private get last(): Map<Key, Value> {
    return this.maps[this.maps.length - 1];
  }
}

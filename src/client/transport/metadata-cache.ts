/** A cache of replies: metadata requested only to check names and look up types. */
export interface MetadataCache {
  remember<T>(key: string, make: () => Promise<T>): Promise<T>;
  /** Fetches the value again and replaces the cached one. */
  renew<T>(key: string, make: () => Promise<T>): Promise<T>;
  /** The value, if it has arrived; sends no request and waits for none. */
  peek<T>(key: string): T | undefined;
  /** The cached value, if any; sends no request. */
  known<T>(key: string): Promise<T | undefined>;
}

interface Entry {
  readonly at: number;
  readonly value: Promise<unknown>;
  arrived?: unknown;
}

const LIFE_MS = 10 * 60 * 1000;

/** A cache of ten minutes; failures are not cached. */
export function metadataCache(now: () => number = () => performance.now()): MetadataCache {
  const kept = new Map<string, Entry>();
  const entry = (key: string): Entry | undefined => {
    const found = kept.get(key);
    return found && now() - found.at < LIFE_MS ? found : undefined;
  };
  const fresh = (key: string): Promise<unknown> | undefined => entry(key)?.value;
  return {
    async renew<T>(key: string, make: () => Promise<T>): Promise<T> {
      const value = await make();
      kept.set(key, { at: now(), value: Promise.resolve(value), arrived: value });
      return value;
    },
    peek<T>(key: string): T | undefined {
      return entry(key)?.arrived as T | undefined;
    },
    async known<T>(key: string): Promise<T | undefined> {
      return (await fresh(key)?.catch(() => undefined)) as T | undefined;
    },
    remember<T>(key: string, make: () => Promise<T>): Promise<T> {
      const known = fresh(key);
      if (known) return known as Promise<T>;
      const value = make();
      const made: Entry = { at: now(), value };
      kept.set(key, made);
      value.then(
        (arrived) => {
          made.arrived = arrived;
        },
        () => kept.delete(key),
      );
      return value;
    },
  };
}

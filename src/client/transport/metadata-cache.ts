/** Answers that may be used again for a while: metadata asked for only to check names and read types. */
export interface Memory {
  remember<T>(key: string, make: () => Promise<T>): Promise<T>;
  /** Makes the value again, and replaces the cached one. */
  renew<T>(key: string, make: () => Promise<T>): Promise<T>;
  /** What is remembered; undefined where nothing is. Asks nothing. */
  known<T>(key: string): Promise<T | undefined>;
}

const LIFE_MS = 10 * 60 * 1000;

/** A memory of ten minutes; failures are not kept. */
export function memory(now: () => number = () => performance.now()): Memory {
  const kept = new Map<string, { readonly at: number; readonly value: Promise<unknown> }>();
  const fresh = (key: string): Promise<unknown> | undefined => {
    const found = kept.get(key);
    return found && now() - found.at < LIFE_MS ? found.value : undefined;
  };
  return {
    async renew<T>(key: string, make: () => Promise<T>): Promise<T> {
      const value = await make();
      kept.set(key, { at: now(), value: Promise.resolve(value) });
      return value;
    },
    async known<T>(key: string): Promise<T | undefined> {
      return (await fresh(key)?.catch(() => undefined)) as T | undefined;
    },
    remember<T>(key: string, make: () => Promise<T>): Promise<T> {
      const known = fresh(key);
      if (known) return known as Promise<T>;
      const value = make();
      kept.set(key, { at: now(), value });
      value.catch(() => kept.delete(key));
      return value;
    },
  };
}

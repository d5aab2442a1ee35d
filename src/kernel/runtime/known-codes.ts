import { setTimeout as sleep } from "node:timers/promises";

/** The longest that a completion waits for codes. */
const PATIENCE_MS = 300;
/** The longest that a request for a completion may take; its reply serves later completions. */
const REQUEST_MS = 10_000;
/** The time after a failure without another request. */
const PAUSE_MS = 60_000;

/** The key under which a service of this package completes codes. */
const CODES = Symbol.for("arrowbook.codes");

/** `service.table("MARK` at the end of the code before the cursor. */
const CALL = /\b([A-Za-z_$][\w$]*)\s*\.\s*(table|dataset|database)\s*\(\s*(["'`])([^"'`\n]*)$/;

type List = (kind: string, text: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Codes of tables, series and databases, as far as a service lists them. */
export interface KnownCodes {
  /** The codes that complete the code before the cursor, and where they begin in it; undefined if there are none. */
  complete(before: string): Promise<{ readonly matches: string[]; readonly start: number } | undefined>;
}

/**
 * Codes are requested once for each kind, and once for each database of series; a completion waits for 300 ms at most.
 *
 * @param value the value of a name of the cells; undefined if there is none
 * @param prepare creates the prelude's service if the code uses it
 */
export function knownCodes(value: (name: string) => unknown, prepare: (code: string) => Promise<unknown>): KnownCodes {
  const listed = new WeakMap<object, Map<string, Promise<readonly string[]>>>();

  const list = (service: object, kind: string, text: string): Promise<readonly string[]> => {
    const known = listed.get(service) ?? new Map<string, Promise<readonly string[]>>();
    listed.set(service, known);
    const database = kind === "dataset" && text.includes("/") ? text.slice(0, text.indexOf("/") + 1) : "";
    const key = `${kind} ${database}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const codes = (service as Record<symbol, List>)
      [CODES](kind, database, AbortSignal.timeout(REQUEST_MS))
      .catch(() => {
        setTimeout(() => known.delete(key), PAUSE_MS).unref();
        return [];
      });
    known.set(key, codes);
    return codes;
  };

  const codesFor = async (name: string, kind: string, text: string, code: string): Promise<readonly string[]> => {
    await prepare(code);
    const service = value(name);
    if (typeof service !== "object" || service === null || !(CODES in service)) return [];
    return list(service, kind, text);
  };

  return {
    async complete(before) {
      const found = CALL.exec(before);
      if (found === null) return undefined;
      const [, name, kind, , text] = found;
      const ended = new AbortController();
      const late = sleep(PATIENCE_MS, [], { signal: ended.signal, ref: false }).catch(() => []);
      const codes = await Promise.race([codesFor(name, kind, text, before).catch(() => []), late]);
      ended.abort();
      const matches = codes.filter((code) => code.startsWith(text));
      return matches.length === 0 ? undefined : { matches, start: before.length - text.length };
    },
  };
}

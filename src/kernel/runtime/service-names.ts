import { setTimeout as sleep } from "node:timers/promises";
import { typeArguments } from "../compiler/value-types.js";

/** The longest that a completion waits for a service. */
const PATIENCE_MS = 300;
/** The longest that a request for a completion may take; its reply serves later completions. */
const REQUEST_MS = 10_000;
/** The time after a failure without another request. */
const PAUSE_MS = 60_000;

/** The key under which a service of this package completes codes. */
const CODES = Symbol.for("arrowbook.codes");

/** `service.table("MARK` at the end of the code before the cursor. */
const OPEN_CALL = /\b([A-Za-z_$][\w$]*)\s*\.\s*(table|dataset|database)\s*\(\s*(["'`])([^"'`\n]*)$/;
/** `service.table("MARKET/PRICES")` and `service.dataset("EOD/AAPL")` in a cell. */
const CALLS = /\b([A-Za-z_$][\w$]*)\s*\.\s*(table|dataset)\s*\(\s*(["'`])([^"'`\n]+\/[^"'`\n]+)\3\s*\)/g;
const NAMES = /(?<![\w$.])[A-Za-z_$][\w$]*/g;

type Kind = "table" | "dataset";
type List = (kind: string, text: string, signal: AbortSignal) => Promise<readonly string[]>;
type ServiceLike = Partial<Record<Kind, (code: string) => unknown>> & { readonly [CODES]?: List };

/** A query of the service, as far as completion uses it. */
interface Query {
  metadata(options: { readonly signal: AbortSignal }): Promise<unknown>;
}

/** Codes and columns for the completion of cells, as far as the services of the notebook list and describe them. */
export class ServiceNames {
  readonly #lists = new WeakMap<object, Map<string, Promise<readonly string[]>>>();
  readonly #queries = new WeakMap<object, Map<string, Query | undefined>>();
  readonly #requested = new WeakMap<Query, Promise<unknown>>();

  /**
   * @param value the value of a name of the cells; undefined if there is none
   * @param prepare creates the prelude's service if the code uses it
   */
  constructor(
    private readonly value: (name: string) => unknown,
    private readonly prepare: (code: string) => Promise<unknown>,
  ) {}

  /**
   * The codes that complete the code before the cursor, and where they begin in it; undefined if there are none.
   * Requests them once for each kind, and once for each database of series, waiting for 300 ms at most: also for a
   * service that is created for it.
   */
  async codes(before: string): Promise<{ readonly matches: string[]; readonly start: number } | undefined> {
    const found = OPEN_CALL.exec(before);
    if (found === null) return undefined;
    const [, name, kind, , text] = found;
    const codes = (await inTime(this.prepare(before).then(() => this.#codesOf(name, kind, text)))) ?? [];
    const matches = codes.filter((code) => code.startsWith(text));
    return matches.length === 0 ? undefined : { matches, start: before.length - text.length };
  }

  /** Requests the metadata that the code before the cursor needs: each once, waiting for 300 ms at most. */
  async learn(code: string, cursor: number): Promise<void> {
    const before = code.slice(0, cursor);
    const prepared = callsIn(before).length > 0 ? this.prepare(before) : Promise.resolve();
    await inTime(prepared.then(() => this.#learnAll(before)));
  }

  /** Declarations with the columns of the codes in a cell; empty if none are known. */
  declarations(code: string): string {
    const members = { Tables: new Set<string>(), Filters: new Set<string>(), Datasets: new Set<string>() };
    for (const { name, kind, code: found } of callsIn(code)) {
      const types = typeArguments(this.#queryOf(name, kind, found));
      if (types === undefined) continue;
      const [row, filterable] = types;
      members[kind === "table" ? "Tables" : "Datasets"].add(`${JSON.stringify(found)}: ${row};`);
      if (filterable !== undefined) members.Filters.add(`${JSON.stringify(found)}: keyof ${filterable};`);
    }
    const interfaces = Object.entries(members).flatMap(([name, entries]) =>
      entries.size === 0 ? [] : [`interface ${name} { ${[...entries].join(" ")} }`],
    );
    return interfaces.length === 0 ? "" : `declare module "arrowbook" { ${interfaces.join(" ")} }\n`;
  }

  async #codesOf(name: string, kind: string, text: string): Promise<readonly string[]> {
    const service = this.#serviceOf(name);
    const list = service?.[CODES];
    if (service === undefined || list === undefined) return [];
    const database = kind === "dataset" && text.includes("/") ? text.slice(0, text.indexOf("/") + 1) : "";
    const key = `${kind} ${database}`;
    const known = mapOf(this.#lists, service);
    const codes =
      known.get(key) ??
      list.call(service, kind, database, AbortSignal.timeout(REQUEST_MS)).catch(() => {
        setTimeout(() => known.delete(key), PAUSE_MS).unref();
        return [];
      });
    known.set(key, codes);
    return codes;
  }

  async #learnAll(code: string): Promise<void> {
    const called = callsIn(code).map(({ name, kind, code: found }) => this.#queryOf(name, kind, found));
    const named = [...new Set(code.match(NAMES))].map(this.value).filter(isQuery);
    for (const query of [...called, ...named]) {
      if (query === undefined || typeArguments(query) !== undefined || this.#requested.has(query)) continue;
      // The service object keeps the reply. Without one there are no columns to complete.
      this.#requested.set(
        query,
        query.metadata({ signal: AbortSignal.timeout(REQUEST_MS) }).catch(() => undefined),
      );
    }
    await Promise.all([...called, ...named].map((query) => query && this.#requested.get(query)));
  }

  #serviceOf(name: string): ServiceLike | undefined {
    const service = this.value(name);
    return typeof service === "object" && service !== null ? service : undefined;
  }

  #queryOf(name: string, kind: Kind, code: string): Query | undefined {
    const service = this.#serviceOf(name);
    if (service === undefined) return undefined;
    const known = mapOf(this.#queries, service);
    const query = known.get(`${kind} ${code}`) ?? newQuery(service, kind, code);
    known.set(`${kind} ${code}`, query);
    return query;
  }
}

/** What work resolves to, if it does so in time. */
async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  const ended = new AbortController();
  const late = sleep(PATIENCE_MS, undefined, { signal: ended.signal, ref: false });
  const first = await Promise.race([work, late].map((each) => each.catch(() => undefined)));
  ended.abort();
  return first;
}

function mapOf<T>(maps: WeakMap<object, Map<string, T>>, of: object): Map<string, T> {
  const map = maps.get(of) ?? new Map<string, T>();
  maps.set(of, map);
  return map;
}

function callsIn(code: string): { readonly name: string; readonly kind: Kind; readonly code: string }[] {
  return [...code.matchAll(CALLS)].map(([, name, kind, , found]) => ({ name, kind: kind as Kind, code: found }));
}

function newQuery(service: ServiceLike, kind: Kind, code: string): Query | undefined {
  try {
    const query = service[kind]?.(code);
    return isQuery(query) ? query : undefined;
  } catch {
    return undefined; // Not a valid code.
  }
}

/** A query of one table or series: it has metadata and a frame. */
function isQuery(value: unknown): value is Query {
  if (typeof value !== "object" || value === null) return false;
  const { metadata, frame } = value as { metadata?: unknown; frame?: unknown };
  return typeof metadata === "function" && typeof frame === "function";
}

import { setTimeout as sleep } from "node:timers/promises";
import { typeArguments } from "../compiler/value-types.js";

/** The longest that a completion waits for metadata. */
const PATIENCE_MS = 300;
/** The longest that a request for a completion may take; its reply serves later completions. */
const REQUEST_MS = 10_000;

/** `service.table("MARKET/PRICES")` and `service.dataset("EOD/AAPL")` in a cell. */
const CALLS = /\b([A-Za-z_$][\w$]*)\s*\.\s*(table|dataset)\s*\(\s*(["'`])([^"'`\n]+\/[^"'`\n]+)\3\s*\)/g;
const NAMES = /(?<![\w$.])[A-Za-z_$][\w$]*/g;

type Kind = "table" | "dataset";

/** A query of the service, as far as completion uses it. */
interface Query {
  metadata(options: { readonly signal: AbortSignal }): Promise<unknown>;
}

type ServiceLike = Readonly<Record<Kind, (code: string) => Query>>;

/** Columns of tables and time series that a cell refers to, for its completion. */
export interface KnownColumns {
  /** Requests the metadata that the code before the cursor needs: each once, waiting for 300 ms at most. */
  learn(code: string, cursor: number): Promise<void>;
  /** Declarations with the columns of the codes in a cell; empty if none are known. */
  declarations(code: string): string;
}

/**
 * @param value the value of a name of the cells; undefined if there is none
 * @param prepare creates the prelude's service if the code uses it
 */
export function knownColumns(
  value: (name: string) => unknown,
  prepare: (code: string) => Promise<unknown>,
): KnownColumns {
  const queries = new WeakMap<object, Map<string, Query>>();
  const asked = new WeakMap<object, Promise<unknown>>();

  const queryOf = (name: string, kind: Kind, code: string): Query | undefined => {
    const service = value(name);
    if (typeof service !== "object" || service === null) return undefined;
    const known = queries.get(service) ?? new Map<string, Query>();
    queries.set(service, known);
    const key = `${kind} ${code}`;
    const query = known.get(key) ?? newQuery(service as Partial<ServiceLike>, kind, code);
    if (query !== undefined) known.set(key, query);
    return query;
  };

  const ask = (query: Query): Promise<unknown> => {
    const sent = asked.get(query) ?? metadataOf(query);
    asked.set(query, sent);
    return sent;
  };

  const learnAll = async (code: string): Promise<void> => {
    if (callsIn(code).length > 0) await prepare(code);
    const called = callsIn(code).map(({ name, kind, code: found }) => queryOf(name, kind, found));
    const named = [...new Set(code.match(NAMES))].map(value).filter(isQuery);
    const unknown = [...called, ...named].filter(
      (query) => query !== undefined && typeArguments(query) === undefined,
    ) as Query[];
    await Promise.all(unknown.map(ask));
  };

  return {
    async learn(code, cursor) {
      const ended = new AbortController();
      const late = sleep(PATIENCE_MS, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
      await Promise.race([learnAll(code.slice(0, cursor)).catch(() => undefined), late]);
      ended.abort();
    },
    declarations(code) {
      const members: Record<"Tables" | "Filters" | "Datasets", Set<string>> = {
        Tables: new Set(),
        Filters: new Set(),
        Datasets: new Set(),
      };
      for (const { name, kind, code: found } of callsIn(code)) {
        const types = typeArguments(queryOf(name, kind, found));
        if (types === undefined) continue;
        const [row, filterable] = types;
        members[kind === "table" ? "Tables" : "Datasets"].add(`${JSON.stringify(found)}: ${row};`);
        if (filterable !== undefined) members.Filters.add(`${JSON.stringify(found)}: keyof ${filterable};`);
      }
      const interfaces = Object.entries(members).flatMap(([name, entries]) =>
        entries.size === 0 ? [] : [`interface ${name} { ${[...entries].join(" ")} }`],
      );
      return interfaces.length === 0 ? "" : `declare module "arrowbook" { ${interfaces.join(" ")} }\n`;
    },
  };
}

function callsIn(code: string): { readonly name: string; readonly kind: Kind; readonly code: string }[] {
  return [...code.matchAll(CALLS)].map(([, name, kind, , found]) => ({ name, kind: kind as Kind, code: found }));
}

function newQuery(service: Partial<ServiceLike>, kind: Kind, code: string): Query | undefined {
  try {
    const query: unknown = service[kind]?.(code);
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

/** Requests metadata, which the service object caches. Without a reply there are no columns to complete. */
async function metadataOf(query: Query): Promise<void> {
  await query.metadata({ signal: AbortSignal.timeout(REQUEST_MS) }).then(
    () => undefined,
    () => undefined,
  );
}

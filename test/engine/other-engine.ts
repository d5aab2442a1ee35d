import type { Dialect } from "../../src/engine/contract/dialect.js";
import type { Engine } from "../../src/engine/contract/engine.js";

const KEYWORDS = new Set(
  `select with from where and or not is null true false in as order group by having limit distinct asc desc on using
    join between drop table if exists insert into values delete`.split(/\s+/),
);
const FUNCTIONS = new Set(["count", "min", "max"]);

/** Marks around the SQL of a dialect, and around the names that it quotes. */
const [OPEN, CLOSE, NAME, END] = ["\u0001", "\u0002", "\u0003", "\u0004"];
const PART = new RegExp(`${OPEN}[^${OPEN}${CLOSE}]*${CLOSE}`, "g");
const QUOTED = new RegExp(`${NAME}([0-9a-f]*)${END}`, "g");

/**
 * What a statement has that neither its dialect nor every engine has; undefined if there is nothing.
 *
 * @param mayQuote whether names in double quotes are common SQL
 */
export function foreignPart(sql: string, mayQuote: boolean): string | undefined {
  // Parts hold others, such as quoted names: from the inside out.
  let rest = sql;
  for (let before = ""; before !== rest; ) {
    before = rest;
    rest = rest.replace(PART, " 0 ");
  }
  if (mayQuote) rest = rest.replace(/"(?:[^"]|"")*"/g, " 0 ");
  const [strange] = /['"`]|::|\|\||\/\/|[[\]{}@#~^;:?!%&|]/.exec(rest) ?? [];
  if (strange !== undefined) return strange;
  for (const [, word, bracket] of rest.matchAll(/([a-z_]\w*)(\s*\()?/gi)) {
    const isKeyword = KEYWORDS.has(word.toLowerCase());
    if (bracket !== undefined && !isKeyword && !FUNCTIONS.has(word.toLowerCase())) return `${word}()`;
    if (word.length > 1 && word === word.toUpperCase() && !isKeyword) return word;
  }
  return undefined;
}

const part = (sql: string): string => `${OPEN}${sql}${CLOSE}`;

/**
 * An engine with a dialect of its own over another engine: it quotes names in another way, rows are numbered by a
 * column that is loaded, and there are no lists of values and no reading of files. It refuses every statement with a
 * part that is neither of its dialect nor common SQL, so that what is above the engines can rely on no engine.
 *
 * @param mayQuote as for {@link foreignPart}
 */
export function otherEngine(engine: Engine, mayQuote: boolean): Engine {
  const under = engine.dialect;
  const marked = <T extends { readonly sql: string }>(condition: T): T => ({ ...condition, sql: part(condition.sql) });
  const dialect: Dialect = {
    quoteName: (name) => part(`${NAME}${Buffer.from(name).toString("hex")}${END}`),
    isShared: false,
    prepare: [],
    sortedBy: () => ({}),
    rowNumber: { column: "number", isLoaded: true, order: " ORDER BY number" },
    compare: (...comparison) => marked(under.compare(...comparison)),
    oneOf(...list) {
      const condition = under.oneOf(...list);
      return condition && marked(condition);
    },
    collapsed: (...series) => part(under.collapsed(...series)),
  };
  const own = (sql: string): string => {
    const foreign = foreignPart(sql, mayQuote);
    if (foreign !== undefined) throw new Error(`The other engine does not have ${foreign} of ${JSON.stringify(sql)}.`);
    return sql
      .replaceAll(OPEN, "")
      .replaceAll(CLOSE, "")
      .replace(QUOTED, (_, hex) => under.quoteName(Buffer.from(hex, "hex").toString()));
  };
  return {
    ...engine,
    dialect,
    query: async (sql, params, options) => engine.query(own(sql), params, options),
    async *batches(sql, params, options) {
      yield* engine.batches(own(sql), params, options);
    },
  };
}

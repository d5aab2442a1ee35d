import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { checkedParams, missingParam } from "../contract/statements.js";

/** Scanned as a whole, to the end if not closed: strings, names, comments. The last part is `$1`. */
const TOKENS = /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(\d+)/g;
/** The parts of a statement: it ends with the last one that is not a comment. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|[^;\s]/g;

/**
 * Writes bound values as literals in place of `$1`, `$2`, … (the protocol itself has no parameters), without the
 * semicolon at the end.
 *
 * @throws {InputError} BadStatement for an empty statement; BadArgument for values that cannot be bound, and for
 *   more or fewer of them than the statement has
 */
export function withLiterals(sql: string, given?: readonly unknown[]): string {
  if (typeof sql !== "string") {
    throw new InputError("query() expects a SQL statement.", { code: "BadArgument" });
  }
  const params = checkedParams(given);
  let used = 0;
  let end = 0;
  const written = sql.replace(TOKENS, (token: string, position: string | undefined) => {
    if (position === undefined) return token;
    const at = Number(position);
    if (at < 1 || at > params.length) throw missingParam(position, params.length);
    used = Math.max(used, at);
    return literal(params[at - 1]);
  });
  if (used < params.length) {
    throw new InputError(`The statement has ${used} parameters; ${params.length} values were passed.`, {
      code: "BadArgument",
      hint: "Pass one value for each of $1, $2, ….",
    });
  }
  for (const { index, 0: part } of written.matchAll(PARTS)) {
    if (!/^(?:--|\/\*)/.test(part)) end = index + part.length;
  }
  if (end > 0) return written.slice(0, end);
  throw new InputError("The statement is empty.", { code: "BadStatement", hint: 'Pass one such as "SELECT 1".' });
}

const LARGEST_INTEGER = 2 ** 31 - 1;

/** Small whole numbers are Trino's `integer`, as `LIMIT` and `round(x, n)` need. */
function numberLiteral(value: number): string {
  if (Number.isNaN(value)) return "nan()";
  if (!Number.isFinite(value)) return value > 0 ? "infinity()" : "(-infinity())";
  if (Object.is(value, -0)) return "DOUBLE '-0'";
  if (!Number.isSafeInteger(value)) return `DOUBLE '${value}'`;
  if (Math.abs(value) > LARGEST_INTEGER) return `BIGINT '${value}'`;
  return value < 0 ? `(${value})` : String(value);
}

function literal(value: unknown): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === "boolean") return String(value);
  if (typeof value === "bigint") {
    if (BigInt.asIntN(64, value) === value) return `BIGINT '${value}'`;
    if (String(value).replace("-", "").length <= 38) return `DECIMAL '${value}'`;
  }
  if (typeof value === "number") return numberLiteral(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) {
    return `TIMESTAMP '${value.toISOString().replace("T", " ").replace("Z", " UTC")}'`;
  }
  throw new InputError(`A bound parameter is ${shown(value)}.`, {
    code: "BadArgument",
    hint: "Pass strings, numbers, bigints of at most 38 digits, booleans, dates or null.",
  });
}

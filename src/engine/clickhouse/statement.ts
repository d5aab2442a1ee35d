import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { withoutEnd } from "../../value/text.js";
import { checkedParams, missingParam } from "../contract/statements.js";

/** A statement with ClickHouse's typed parameters. */
export interface Statement {
  /** Without a semicolon at the end. */
  readonly sql: string;
  /** The values of `{p1:…}`, `{p2:…}`, …, as the client takes them. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly returnsRows: boolean;
}

/** What a scan steps over as a whole: strings, quoted names, comments and heredocs; one that is not closed reaches
 * to the end. The last alternative is `$1`. */
const TOKENS =
  /'(?:[^'\\]|\\[\s\S]|'')*(?:'|\\?$)|"(?:[^"\\]|\\[\s\S]|"")*(?:"|\\?$)|`(?:[^`\\]|\\[\s\S]|``)*(?:`|\\?$)|--[^\n]*|#!?\s[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(\w*)\$[\s\S]*?\$\1\$|\$(\d+)/g;

const BLANKS = "; \t\r\n\f\v";

const RETURNS_ROWS = /^[\s(]*(SELECT|WITH|FROM|SHOW|DESCRIBE|DESC|EXPLAIN|EXISTS|CHECK)\b/i;

/**
 * Rewrites `$1`, `$2`, … of a statement as ClickHouse's typed parameters, whose types follow from the values.
 *
 * @throws {InputError} BadArgument for values that are not an array, cannot be bound, or are missing; BadStatement for
 *   a statement with a FORMAT
 */
export function statement(sql: string, params: readonly unknown[] | undefined): Statement {
  if (typeof sql !== "string") {
    throw new InputError(`Expected a SQL statement; got ${shown(sql)}.`, { code: "BadArgument" });
  }
  const bound = checkedParams(params).map(parameter);
  const used: Record<string, unknown> = {};
  let plain = "";
  let from = 0;
  const rewritten = sql.replace(TOKENS, (token: string, _tag, position: string | undefined, at: number) => {
    // Comments do not decide what kind of statement it is.
    const isComment = /^(--|#)/.test(token) || (token.startsWith("/*") && token.endsWith("*/"));
    plain += sql.slice(from, at) + (isComment ? " " : token);
    from = at + token.length;
    if (position === undefined) return isComment ? " " : token;
    const value = bound[Number(position) - 1];
    if (value === undefined) throw missingParam(position, bound.length);
    if (value.literal !== undefined) return value.literal;
    used[`p${position}`] = value.value;
    return `{p${position}:${value.type}}`;
  });
  plain += sql.slice(from);
  if (/\bFORMAT\s+\w+[\s;]*$/i.test(plain)) {
    throw new InputError("The statement has a FORMAT of its own.", {
      code: "BadStatement",
      hint: "Leave out FORMAT: rows are read as Arrow.",
    });
  }
  return { sql: withoutEnd(rewritten, BLANKS), params: used, returnsRows: RETURNS_ROWS.test(plain) };
}

interface Parameter {
  readonly type: string;
  readonly value: unknown;
  /** The SQL of a value that is too long for the address of a request, in which parameters are sent. */
  readonly literal?: string;
}

/** The address has at most 1 MB on the server, 8 to 16 kB on some proxies. */
const LONGEST_PARAMETER = 2_048;

function parameter(value: unknown): Parameter {
  const typed = typedParameter(value);
  if (typeof value === "string" && value.length > LONGEST_PARAMETER) return { ...typed, literal: quoteText(value) };
  if (!Array.isArray(value)) return typed;
  // One element of the syntax tree, however long it is.
  const list = value.map((each) => (typeof each === "string" ? quoteText(each) : String(each))).join(",");
  return list.length > LONGEST_PARAMETER ? { ...typed, literal: `CAST([${list}] AS ${typed.type})` } : typed;
}

function typedParameter(value: unknown): Parameter {
  switch (typeof value) {
    case "string":
      return { type: "String", value };
    case "boolean":
      return { type: "Bool", value };
    case "bigint":
      return { type: integerType(value), value };
    case "number":
      return Number.isSafeInteger(value) && !Object.is(value, -0)
        ? { type: "Int64", value }
        : { type: "Float64", value: Object.is(value, -0) ? "-0" : value };
    default:
      if (value === null) return { type: "Nullable(String)", value };
      if (Array.isArray(value) && value.every((each) => typeof each === "string")) {
        return { type: "Array(String)", value };
      }
      if (Array.isArray(value) && value.every((each) => typeof each === "bigint" && BigInt.asIntN(64, each) === each)) {
        return { type: "Array(Int64)", value };
      }
      if (value instanceof Date && !Number.isNaN(value.getTime())) {
        return { type: "DateTime64(3,'UTC')", value: value.toISOString().replace("T", " ").replace("Z", "") };
      }
      throw new InputError(`A bound parameter is ${shown(value)}.`, {
        code: "BadArgument",
        hint: "Pass strings, lists of strings or of bigints (64 bits), numbers, bigints, booleans, dates or null.",
      });
  }
}

function integerType(value: bigint): string {
  for (const bits of [64, 128, 256]) if (BigInt.asIntN(bits, value) === value) return `Int${bits}`;
  throw new InputError("A bound bigint has more than 256 bits.", { code: "BadArgument", hint: "Pass it as text." });
}

/** Quotes any name for ClickHouse, where backslashes escape. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\0", "\\0")}'`;
}

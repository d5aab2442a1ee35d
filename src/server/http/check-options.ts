import { InputError } from "../../errors/errors.js";
import { nearest } from "../../errors/nearest.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { EngineTable } from "../data/foreign-tables.js";
import type { ServeOptions, ServerTimeouts } from "./options.js";

/** A validation rule: the test, and the hint if it fails. */
type Rule = readonly [holds: (value: unknown) => boolean, hint: string];

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isFunction = (value: unknown): boolean => typeof value === "function";
const hasAll = (value: unknown, names: readonly string[]): boolean =>
  typeof value === "object" && value !== null && names.every((name) => name in value);

const isOrigin = (value: unknown): boolean =>
  value === "*" || (typeof value === "string" && URL.canParse(value) && new URL(value).origin === value);

const AMOUNT: Rule = [(value) => typeof value === "number" && value >= 0, "Pass a number of 0 or more."];
const TEXT: Rule = [isText, "Pass a non-empty string."];
const FUNCTION: Rule = [isFunction, "Pass a function."];

const RULES: Readonly<Record<keyof ServeOptions, Rule>> = {
  data: [
    (value) => isText(value) || hasAll(value, ["catalog", "dataset", "table"]),
    "Pass the path of a folder with a catalog.json, or sampleData().",
  ],
  history: [
    (value) => [value].flat().every((each) => hasAll(each, ["code", "versions", "frame"])),
    "Pass a mirror with history, or a list of them.",
  ],
  port: [
    (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
    "Pass a number from 0 to 65535; 0 selects a free port.",
  ],
  host: TEXT,
  publicUrl: [
    (value) => isText(value) && /^https?:\/\/[^/?#]+\/?$/.test(value as string),
    'Pass an origin such as "https://data.example.org".',
  ],
  cors: [
    (value) => [value].flat().every(isOrigin),
    'Pass an origin such as "https://app.example.org", a list of them, or "*" for all.',
  ],
  allowedHosts: [
    (value) => Array.isArray(value) && value.every((name) => isText(name) && !/[\s/@?#]|^[^:]*:\d*$/.test(name)),
    'Pass a list of names without scheme and port, such as ["data.example.org"].',
  ],
  apiKeys: [() => true, ""],
  database: TEXT,
  engine: [
    (value) => hasAll(value, ["load", "query", "batches", "close", "dialect"]),
    'Pass the result of duckdb() from "arrowbook/duckdb" or of clickhouse() from "arrowbook/clickhouse", or omit it.',
  ],
  tables: [
    (value) => hasAll(value, []) && Object.keys(value as object).length > 0,
    'Pass an object such as { "SHARADAR/SEP": "prices.sep" }.',
  ],
  clock: FUNCTION,
  profile: [
    (value) => isText(value) || hasAll(value, ["keyParameter", "errors"]),
    'Pass the name of a profile, such as "nasdaqDataLink", or a profile of defineProfile().',
  ],
  log: FUNCTION,
  maxResultRows: AMOUNT,
  replyCacheBytes: AMOUNT,
  timeouts: [(value) => hasAll(value, []), "Pass an object such as { idle: 60_000 }."],
  maxConnections: AMOUNT,
  maxConnectionsPerAddress: AMOUNT,
  graceMs: AMOUNT,
};

const TIMEOUTS: Readonly<Record<keyof ServerTimeouts, Rule>> = {
  headers: AMOUNT,
  request: AMOUNT,
  idle: AMOUNT,
  keepAlive: AMOUNT,
};

/** @throws {InputError} UnknownOption with the nearest name, BadArgument; messages never contain a key */
export function checkOptions(options: ServeOptions): void {
  checkMembers(options, RULES, "serve()", "");
  if (options.timeouts !== undefined) checkMembers(options.timeouts, TIMEOUTS, "serve({ timeouts })", "timeouts.");
  if (options.apiKeys !== undefined) checkKeys(options.apiKeys);
  if (options.tables !== undefined) checkTables(options);
}

const NAMES: Rule = [
  (value) => Array.isArray(value) && value.length > 0 && value.every(isText),
  'Pass a list of column names, such as ["ticker", "date"].',
];

const ENGINE_TABLE: Readonly<Record<keyof EngineTable, Rule>> = {
  from: [
    (value) => isText(value) || (Array.isArray(value) && value.length === 2 && value.every(isText)),
    'Pass "database.table", or ["database", "table"] for names with a dot.',
  ],
  columns: NAMES,
  key: NAMES,
  filters: NAMES,
  version: TEXT,
  name: TEXT,
  description: TEXT,
  premium: [(value) => typeof value === "boolean", "Pass true or false."],
};

function checkTables({ tables, engine, data, database }: ServeOptions): void {
  if (engine === undefined || data !== undefined || database !== undefined) {
    throw new InputError("tables are those of engine, without data and database: nothing is written into the engine.", {
      code: "BadArgument",
      hint: "Pass engine and tables; serve rows of files by another service.",
    });
  }
  for (const [code, table] of Object.entries(tables ?? {})) {
    const where = `tables[${JSON.stringify(code)}]`;
    if (!/^[A-Za-z0-9_-][A-Za-z0-9_.-]*\/[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(code)) {
      throw new InputError(`${where} is not a code of a table.`, {
        code: "BadArgument",
        hint: "Codes are VENDOR/TABLE: letters, digits, _, - and ., the first of each part not a dot.",
      });
    }
    const given: unknown = typeof table === "string" ? { from: table } : table;
    if (!hasAll(given, ["from"])) {
      throw new InputError(`${where} is ${shown(table)}.`, { code: "BadArgument", hint: ENGINE_TABLE.from[1] });
    }
    checkMembers(given as EngineTable, ENGINE_TABLE, where, `${where}.`);
  }
}

function checkMembers(given: object, rules: Readonly<Record<string, Rule>>, where: string, before: string): void {
  refuseUnknown(given, Object.keys(rules), where);
  for (const [name, value] of Object.entries(given)) {
    const [holds, hint] = rules[name];
    if (value === undefined || holds(value)) continue;
    throw new InputError(`${before}${name} is ${shown(value)}.`, { code: "BadArgument", hint });
  }
}

function checkKeys(given: unknown): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    const what = Array.isArray(given) ? "a list" : `of type ${typeof given}`;
    throw badKeys(`apiKeys is ${what}, not keys and their grants.`);
  }
  const grants = Object.entries(given);
  if (grants.length === 0) throw badKeys("apiKeys holds no key, so that no request could be accepted.");
  // Messages refer to a key by its position, because it must not appear in them.
  for (const [i, [key, grant]] of grants.entries()) {
    const which = `Key ${i + 1} of apiKeys`;
    if (key === "") throw badKeys(`${which} is empty.`);
    if (typeof grant !== "object" || grant === null || Array.isArray(grant)) {
      throw badKeys(`${which} has no grant, an object that says what it may read.`);
    }
    // A member that is not a misspelling may be a misplaced key.
    const strange = Object.keys(grant).some((name) => nearest(name, ["subscriptions"]).length === 0);
    if (strange) throw badKeys(`${which} has a member that is not subscriptions.`);
    refuseUnknown(grant, ["subscriptions"], `The grant of key ${i + 1} of apiKeys`);
    const { subscriptions } = grant as { readonly subscriptions?: unknown };
    if (subscriptions === "all" || (Array.isArray(subscriptions) && subscriptions.every(isText))) continue;
    if (!isText(subscriptions)) throw badKeys(`${which} has no subscriptions, which are "all" or a list of products.`);
    throw badKeys(
      `${which}: subscriptions is ${shown(subscriptions)}, not "all" or a list.`,
      `For one product pass a list of one: subscriptions: [${shown(subscriptions)}].`,
    );
  }
}

function badKeys(message: string, hint = 'Pass apiKeys: { "your key": { subscriptions: "all" } }.'): InputError {
  return new InputError(message, { code: "BadArgument", hint });
}

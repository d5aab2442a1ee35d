import { InputError } from "../../errors/errors.js";
import { nearest } from "../../errors/nearest.js";
import { refuseUnknown } from "../../errors/options.js";
import type { ServeOptions, ServerTimeouts } from "./options.js";

/** What a value must be: the test, and the sentence for one that fails it. */
type Rule = readonly [holds: (value: unknown) => boolean, hint: string];

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isFunction = (value: unknown): boolean => typeof value === "function";
const hasAll = (value: unknown, names: readonly string[]): boolean =>
  typeof value === "object" && value !== null && names.every((name) => name in value);

const AMOUNT: Rule = [(value) => typeof value === "number" && value >= 0, "Give a number of 0 or more."];
const TEXT: Rule = [isText, "Give a text, not empty."];
const FUNCTION: Rule = [isFunction, "Give a function."];

const RULES: Readonly<Record<keyof ServeOptions, Rule>> = {
  data: [
    (value) => isText(value) || hasAll(value, ["catalog", "dataset", "table"]),
    "Give the path of a folder with a catalog.json, or sampleData().",
  ],
  port: [
    (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
    "Give a number from 0 to 65535; 0 takes a free port.",
  ],
  host: TEXT,
  publicUrl: TEXT,
  apiKeys: [() => true, ""],
  database: TEXT,
  engine: [
    (value) => hasAll(value, ["load", "query", "batches", "close"]),
    'Give what duckdb() of "arrowbook/duckdb" gives, or leave it out.',
  ],
  clock: FUNCTION,
  profile: [
    (value) => isText(value) || hasAll(value, ["keyParameter", "errors"]),
    'Pass the name of a profile, such as "nasdaqDataLink", or a profile of defineProfile().',
  ],
  log: FUNCTION,
  maxResultRows: AMOUNT,
  replyCacheBytes: AMOUNT,
  timeouts: [(value) => hasAll(value, []), "Give an object such as { idle: 60_000 }."],
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

/**
 * @throws {InputError} for an unknown option of `serve` (with the nearest name) or an invalid one; never shows a key
 */
export function checkOptions(options: ServeOptions): void {
  checkMembers(options, RULES, "serve()", "");
  if (options.timeouts !== undefined) checkMembers(options.timeouts, TIMEOUTS, "serve({ timeouts })", "timeouts.");
  if (options.apiKeys !== undefined) checkKeys(options.apiKeys);
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
    throw badKeys(
      `apiKeys is ${Array.isArray(given) ? "a list" : `of type ${typeof given}`}, not keys and their grants.`,
    );
  }
  const grants = Object.entries(given);
  if (grants.length === 0) throw badKeys("apiKeys holds no key, so that no request could be accepted.");
  // A key is named by its position: it must not appear in a message.
  for (const [i, [key, grant]] of grants.entries()) {
    const which = `Key ${i + 1} of apiKeys`;
    if (key === "") throw badKeys(`${which} is empty.`);
    if (typeof grant !== "object" || grant === null || Array.isArray(grant)) {
      throw badKeys(`${which} has no grant, an object that says what it may read.`);
    }
    // A member that is not a misspelling may be a key in the wrong place.
    const strange = Object.keys(grant).some((name) => nearest(name, ["subscriptions"]).length === 0);
    if (strange) throw badKeys(`${which} has a member that is not subscriptions.`);
    refuseUnknown(grant, ["subscriptions"], `The grant of key ${i + 1} of apiKeys`);
    const { subscriptions } = grant as { readonly subscriptions?: unknown };
    if (subscriptions === "all" || (Array.isArray(subscriptions) && subscriptions.every(isText))) continue;
    if (!isText(subscriptions)) throw badKeys(`${which} has no subscriptions, which are "all" or a list of products.`);
    throw badKeys(
      `${which}: subscriptions is ${shown(subscriptions)}, not "all" or a list.`,
      `For one product give a list of one: subscriptions: [${shown(subscriptions)}].`,
    );
  }
}

function badKeys(message: string, hint = 'Give apiKeys: { "your key": { subscriptions: "all" } }.'): InputError {
  return new InputError(message, { code: "BadArgument", hint });
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : typeof value === "object" ? "an object" : String(value);
}

import type { IncomingMessage } from "node:http";
import { isObject } from "../../document/json.js";
import { shownText } from "../../errors/shown.js";
import { hasExtension, type Profile } from "../../spec/profile.js";
import { refused } from "../data/refused.js";

const LONGEST_BODY = 1 << 20;

/**
 * The query in the body of a POST, as a query string: a JSON object of values, lists and objects of operators
 * (`{ "ticker": ["A", "B"], "date": { "gte": "2020-01-01" } }`), or a form.
 *
 * @throws {Refused} QELx07 for a body that is too long, QESx09 for one that is neither
 */
export async function postedQuery(incoming: IncomingMessage, profile: Profile): Promise<string> {
  const bytes = await bodyOf(incoming);
  if (bytes === undefined) {
    throw refused(profile, "QELx07", `The body of the request exceeds ${LONGEST_BODY} bytes.`, 413);
  }
  const text = bytes.toString("utf8");
  const type = (incoming.headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();
  if (text === "" || type === "application/x-www-form-urlencoded") return text;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (!isObject(body)) throw refused(profile, "QESx09", "The body of the request is not a JSON object or a form.");
  return [...pairsOf(body, "", profile)].join("&");
}

/** The body; undefined if it is too long. The rest is then read and dropped, so that the caller can read the reply. */
function bodyOf(incoming: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    incoming.on("data", (part: Buffer) => {
      size += part.length;
      if (size <= LONGEST_BODY) parts.push(part);
      else resolve(undefined);
    });
    incoming.once("end", () => resolve(Buffer.concat(parts)));
    incoming.once("error", reject);
    incoming.once("close", () => reject(new Error("The connection was closed before the body had arrived.")));
  });
}

function* pairsOf(members: Readonly<Record<string, unknown>>, before: string, profile: Profile): Generator<string> {
  for (const [member, value] of Object.entries(members)) {
    const name = `${before}${member}`;
    if (isObject(value) && before === "") yield* pairsOf(value, `${name}.`, profile);
    else if (!Array.isArray(value)) yield pair(name, value, profile);
    else if (hasExtension(profile, "lists")) for (const item of value) yield pair(`${name}[]`, item, profile);
    else yield pair(name, value.map((item) => listItem(name, item, profile)).join(","), profile);
  }
}

function listItem(name: string, item: unknown, profile: Profile): string {
  const text = valueText(name, item, profile);
  if (!text.includes(",")) return text;
  throw refused(profile, "QESx09", `A value of ${shownText(name)} contains a comma, which separates values.`);
}

function valueText(name: string, value: unknown, profile: Profile): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  throw refused(profile, "QESx09", `The value of ${shownText(name)} is not text, a number or a boolean.`);
}

function pair(name: string, value: unknown, profile: Profile): string {
  const text = valueText(name, value, profile);
  try {
    return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
  } catch {
    throw refused(profile, "QESx09", "The body of the request is not well-formed Unicode.");
  }
}

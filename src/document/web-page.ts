import { decodeEntities } from "../format/xml/text.js";
import { BY_STATUS } from "./meaning.js";

type Headers = (name: string) => string | null;

interface Intermediary {
  readonly name: string;
  readonly sent: (headers: Headers, body: string) => boolean;
  /** The request's reference for the operators of the intermediary. */
  readonly reference?: (headers: Headers, body: string) => string | null | undefined;
}

/** Recognizable pages of proxies in front of a service. */
const INTERMEDIARIES: readonly Intermediary[] = [
  {
    name: "Cloudflare",
    sent: (headers, body) => headers("cf-ray") !== null || /cloudflare/i.test(headers("server") ?? body),
    reference: (headers, body) => headers("cf-ray") ?? /Ray ID:[^0-9a-f]{0,40}([0-9a-f]{8,32})/i.exec(body)?.[1],
  },
  {
    name: "Imperva",
    sent: (headers, body) => headers("x-iinfo") !== null || /incapsula|imperva/i.test(`${headers("x-cdn")} ${body}`),
    reference: (_, body) => /incident ID:\s{0,9}([\d-]{3,60})/i.exec(body)?.[1],
  },
  {
    name: "Akamai",
    sent: (headers, body) => /akamai/i.test(headers("server") ?? "") || /edgesuite\.net|akamai/i.test(body),
    reference: (_, body) => /Reference\s{0,9}(?:#|&#35;)\s{0,9}([\w.&#;]{3,80})/i.exec(body)?.[1],
  },
  {
    name: "CloudFront",
    sent: (headers, body) => /cloudfront/i.test(`${headers("via")} ${headers("x-cache")} ${body}`),
    reference: (headers) => headers("x-amz-cf-id"),
  },
  { name: "Fastly", sent: (headers) => /^cache-/.test(headers("x-served-by") ?? "") },
];

/**
 * The message and hint for a web page in place of an error message: its origin and the next step, as its status does
 * not come from the service.
 */
export function webPageText(status: number, body: string, headers: Headers) {
  const found = INTERMEDIARIES.find(({ sent }) => sent(headers, body));
  const reference = found?.reference?.(headers, body);
  const title = decodeEntities(/<title[^>]{0,200}>([^<]{0,200})/i.exec(body)?.[1] ?? "")
    .replace(/\s+/g, " ")
    .trim();
  const page = `a web page${title === "" ? "" : `, "${title}"`}`;
  const mark = [`status ${status}`, ...(reference ? [`reference ${reference}`] : [])].join(", ");
  return {
    message: `${found?.name ?? "The address"} replied with ${page} (${mark})`,
    hint: hintOf(status, found?.name),
  };
}

function hintOf(status: number, name: string | undefined): string {
  const who = name ?? "a proxy, firewall or login page";
  if (status === 404 || status === 410) return BY_STATUS[404];
  if (status >= 500) return `${upper(who)} replied in place of the service; try again later.`;
  const refused = `${upper(who)} replied in place of the service, which never received the request; the key was not checked.`;
  if (status === 429) return `${refused} Send fewer requests at once.`;
  return `${refused} Try from another network, or ask the operators of the service to let this one through.`;
}

const upper = (text: string): string => text[0].toUpperCase() + text.slice(1);

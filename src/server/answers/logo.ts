import { refused } from "../data/refused.js";
import { type Coding, rendered } from "./rendered.js";
import type { Answer } from "./reply.js";
import type { ServiceState } from "./service-state.js";

export const LOGOS_PATH = "/logos/";

/**
 * The drawn logo at a path below {@link LOGOS_PATH}. It needs no key, because images in a page are
 * requested without one.
 *
 * @throws {Refused} for an unknown database
 */
export async function answerLogo(path: string, coding: Coding, { store, profile }: ServiceState): Promise<Answer> {
  const code = /^([A-Za-z0-9_-]+)\.svg$/.exec(path.slice(LOGOS_PATH.length))?.[1];
  if (code === undefined || !store.databases.has(code)) {
    throw refused(profile, "QECx03", "There is no such picture.");
  }
  const headers = {
    "content-type": "image/svg+xml",
    "cache-control": "public, max-age=86400",
    "content-security-policy": "default-src 'none'",
  };
  return { status: 200, headers, body: await rendered(Buffer.from(svg(code)), coding, headers) };
}

/**
 * The first letters of the code on a background of its own colour. Codes contain only letters, digits, `_` and `-`, so
 * that nothing needs escaping.
 */
function svg(code: string): string {
  let hue = 0;
  for (const letter of code) hue = (hue * 31 + letter.charCodeAt(0)) % 360;
  const text = `fill="white" font-family="sans-serif" font-size="22" font-weight="bold" text-anchor="middle"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96" role="img" aria-label="${code}">
<rect width="96" height="96" rx="12" fill="hsl(${hue} 45% 38%)"/>
<text x="48" y="56" ${text}>${code.slice(0, 4)}</text>
</svg>
`;
}

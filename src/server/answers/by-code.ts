import { suggestion } from "../../errors/nearest.js";
import { shownText } from "../../errors/shown.js";
import { hasExtension, type Profile } from "../../spec/profile.js";
import { refused } from "../data/refused.js";

/**
 * The entry of a code; in any letter case if the profile has the extension `anyCase`, unless several codes then match.
 *
 * @param kinds what the entries are, such as `datasets`, for messages
 * @param subject the start of the message for an unknown code
 * @throws {Refused} QECx02
 */
export function byCode<T>(
  entries: ReadonlyMap<string, T>,
  code: string,
  { kinds, subject, shown = code }: { readonly kinds: string; readonly subject: string; readonly shown?: string },
  profile: Profile,
): T {
  const exact = entries.get(code);
  if (exact !== undefined) return exact;
  const same = hasExtension(profile, "anyCase")
    ? [...entries].filter(([other]) => other.toLowerCase() === code.toLowerCase())
    : [];
  if (same.length === 1) return same[0][1];
  const known = suggestion(code, [...entries.keys()], kinds);
  throw refused(profile, "QECx02", `${subject} ${shownText(shown)} does not exist. ${known}`);
}

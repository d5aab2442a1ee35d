import { shownText } from "../../errors/shown.js";
import type { Profile } from "../../spec/profile.js";
import { refused } from "../data/refused.js";
import { isLoopback } from "./listen.js";
import type { ServeOptions } from "./options.js";

export type HostCheck = (header: string | undefined) => void;

/**
 * A service on this machine only accepts the names of this machine, that of `publicUrl` and `allowedHosts`: a web page
 * whose name resolves to this machine (DNS rebinding) may read replies as one of its own origin, and sends its name.
 * A service on another address accepts every name, unless `allowedHosts` is passed.
 */
export function hostCheck(
  { host, publicUrl, allowedHosts }: Pick<ServeOptions, "publicUrl" | "allowedHosts"> & { readonly host: string },
  profile: Profile,
): HostCheck {
  if (!isLoopback(host) && allowedHosts === undefined) return () => undefined;
  const names = new Set((allowedHosts ?? []).map((name) => name.toLowerCase()));
  names.add(host.toLowerCase());
  if (publicUrl !== undefined) names.add(bareName(new URL(publicUrl).host) ?? "");
  return (header) => {
    // Only programs that are not browsers send none.
    if (header === undefined) return;
    const name = bareName(header);
    if (name !== undefined && (isLoopback(name) || names.has(name))) return;
    const message = `This service is not for the host ${shownText(header)}. Its owner can allow it: allowedHosts of serve(), --allowed-host of the command line.`;
    throw refused(profile, "QESx09", message, 403);
  };
}

/** The name or address of a `Host` header, without port and brackets; undefined if it has none. */
function bareName(header: string): string | undefined {
  const [, address, name] = /^(?:\[([\da-f:.]+)\]|([^\s:/@?#\\[\]]+))(?::\d*)?$/i.exec(header) ?? [];
  return (address ?? name)?.toLowerCase().replace(/\.$/, "");
}

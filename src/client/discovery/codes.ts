import type { CatalogItem } from "../../spec/endpoints.js";
import { hasExtension } from "../../spec/profile.js";
import type { Session } from "../transport/session.js";
import { listCodes } from "./list-codes.js";

/** The most codes on one page of a list. */
const PAGE = 100;

/**
 * Codes of a kind for the completion of `text`, from one request: all of an embedded service, which lists them at once;
 * the first page of the series of its database, or of the codes that contain it, where the profile has lists.
 *
 * @throws {InputError} NoCatalog if the service does not list its codes
 */
export async function codesFor(
  session: Session,
  kind: CatalogItem["kind"],
  text: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const isPaged = hasExtension(session.settings.profile, "listings");
  const [database, rest] = text.split("/");
  const chosen = kind === "dataset" && rest !== undefined ? { database, query: rest } : { query: text };
  const items = await listCodes(session, [kind], isPaged ? { ...chosen, limit: PAGE, signal } : { signal });
  return items.map(({ code }) => code);
}

import { digestName } from "../../disk/folders.js";
import { version } from "../../package/package-root.js";
import type { Filter } from "../../spec/endpoints.js";
import type { Session } from "../transport/session.js";
import { isLocal } from "../transport/settings.js";
import { type Checkpoint, openCheckpoint } from "./checkpoint.js";
import { refreshedAt } from "./refreshed-at.js";
import type { PageOptions, TableCall } from "./table-page.js";

/** Opens the checkpoint of reading a table in the file at `path`. */
export async function tableCheckpoint(
  { settings }: Session,
  table: TableCall,
  parts: readonly (readonly Filter[])[],
  path: string,
  { decimals, onBadCell, onPrecisionLoss, text }: PageOptions,
): Promise<Checkpoint> {
  const { url, apiKey = "", profile } = settings;
  const question = digestName(
    version(),
    // The embedded service has another port each time.
    isLocal(url) ? new URL(url).hostname : url,
    apiKey,
    JSON.stringify([table.code, table.select, table.pageSize, table.format, profile.name, parts]),
    JSON.stringify([decimals, onBadCell, onPrecisionLoss, text]),
  );
  return openCheckpoint(path, { code: table.code, question, refreshed_at: await refreshedAt(table) }, settings.warn);
}

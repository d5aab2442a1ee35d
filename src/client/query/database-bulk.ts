import { digestName } from "../../disk/folders.js";
import type { Call } from "../../spec/endpoints.js";
import type { BulkOrigin, BulkStatus } from "../bulk/archive.js";
import { databaseColumns } from "../bulk/bulk-columns.js";
import { emptyTextOf } from "../pages/typed-rows.js";
import { address } from "../transport/address.js";
import type { Session } from "../transport/session.js";

/**
 * The origin of the bulk file of a database (spec 2.5, 4.6).
 *
 * @param titles reads the titles of a series, for a file without a header line
 */
export function databaseBulk(
  session: Session,
  code: string,
  call: Call,
  titles: (series: string) => Promise<readonly string[]>,
): BulkOrigin {
  const { url, profile } = session.settings;
  const where = address(call, url, profile);
  const ready = async (): Promise<BulkStatus> => ({
    status: "fresh",
    ready: true,
    data_snapshot_time: null,
    last_refreshed_time: null,
  });
  return {
    choose: databaseColumns(titles),
    emptyText: emptyTextOf(profile),
    status: ready,
    ready,
    from: {
      session,
      source: {
        code,
        identity: digestName(where),
        link: async () => ({ address: where, keyed: true, since: performance.now(), renewable: false }),
      },
    },
  };
}

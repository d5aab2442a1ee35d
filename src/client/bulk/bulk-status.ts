import { showAsCard } from "../../display/base/card.js";
import type { FileStatus } from "../../spec/vocabulary.js";

/** The state of a bulk file (spec 2.8, 3), without its link: that holds a key. */
export interface BulkStatus {
  readonly status: FileStatus;
  /** Whether there is a file that the query's `stale` option accepts. */
  readonly ready: boolean;
  /** When the making of the file was started, ISO 8601 UTC; null where it is not known. */
  readonly data_snapshot_time: string | null;
  /** When the table was last updated, ISO 8601 UTC; null where it is not known. */
  readonly last_refreshed_time: string | null;
}

/** The state of a bulk file (spec 2.8) that shows itself. */
export function shownStatus(code: string, status: BulkStatus): BulkStatus {
  return showAsCard({ ...status }, (state) => ({
    title: `Bulk file of ${code}: ${state.status}`,
    entries: [
      ["ready", state.ready],
      ["snapshot", state.data_snapshot_time],
      ["table refreshed", state.last_refreshed_time],
    ],
  }));
}

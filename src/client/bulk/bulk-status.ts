import { showAsCard } from "../../display/base/card.js";
import type { FileStatus } from "../../spec/vocabulary.js";

/** The state of a bulk file (spec 2.8, 3), without its link, which contains a key. */
export interface BulkStatus {
  /** The state as the service names it: `fresh`, `creating` or `regenerating`. */
  readonly status: FileStatus;
  /** Whether a file exists that the query's `stale` option accepts. */
  readonly ready: boolean;
  /** When the generation of the file started, ISO 8601 UTC; null if unknown. */
  readonly data_snapshot_time: string | null;
  /** When the table was last updated, ISO 8601 UTC; null if unknown. */
  readonly last_refreshed_time: string | null;
}

/** The state of a bulk file (spec 2.8) that renders as a card. */
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

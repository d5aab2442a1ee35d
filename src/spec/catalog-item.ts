/** A dataset, database or table that a service offers. */
export interface CatalogItem {
  /** What the code names. */
  readonly kind: "dataset" | "database" | "table";
  /** The code as queries use it: `EOD/AAPL`, `EOD`, `SHARADAR/SEP`. */
  readonly code: string;
  /** The title. */
  readonly name: string;
  /** Whether a subscriber's key is needed. */
  readonly premium: boolean;
  /** What the data are. */
  readonly description?: string;
}

/** One code a service holds. */
export interface CatalogItem {
  readonly kind: "dataset" | "database" | "table";
  /** As a query takes it: `EOD/AAPL`, `EOD`, `SHARADAR/SEP`. */
  readonly code: string;
  readonly name: string;
  readonly premium: boolean;
}

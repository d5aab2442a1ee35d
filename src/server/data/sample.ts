import { join } from "node:path";
import { packageRoot } from "../../package/package-root.js";
import { readCatalog } from "./catalog-file.js";
import { marketCatalog, marketPrices, marketSeries } from "./market.js";
import { folderSource, madeRows, type Source } from "./source.js";

/** Must change when the seeded rows change. */
const SEED_VERSION = "seed 1";

/**
 * The sample data: the public files in `notebooks/data` and the seeded database `MARKET` with its table
 * `MARKET/PRICES`.
 *
 * @example
 * ```ts no-run
 * import { sampleData, serve } from "arrowbook/server";
 * const service = await serve({ data: sampleData() }); // its key is "sample"
 * ```
 */
export function sampleData(): Source {
  const folder = join(packageRoot(), "notebooks", "data");
  const files = readCatalog(folder);
  const market = marketCatalog();
  const fromFiles = folderSource(folder, files);
  return {
    catalog: {
      databases: [...files.databases, ...market.databases],
      tables: [...market.tables, ...files.tables],
    },
    tablesOnDemand: true,
    dataset(code, entry) {
      if (entry.file !== undefined) return fromFiles.dataset(code, entry);
      return madeRows(SEED_VERSION, entry.refreshed_at as string, () => marketSeries(entry.dataset_code));
    },
    table(code, entry) {
      if (entry.file !== undefined) return fromFiles.table(code, entry);
      return madeRows(SEED_VERSION, entry.status.refreshed_at as string, marketPrices);
    },
  };
}

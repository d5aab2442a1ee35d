/**
 * `import "arrowbook/notebook"` in a cell of stock tslab: from then on results show themselves as tables and charts.
 * It does nothing in the kernel of this package, in Deno and outside of notebooks, where nothing needs it.
 *
 * @module
 */
import { hookStockTslab } from "./kernel/stock-hook.js";

/** Whether results show themselves through this import: true in stock tslab only. */
export const active: boolean = hookStockTslab();

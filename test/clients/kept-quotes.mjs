// A table whose rows change, and a mirror that keeps its states of 2025-01-02, 2035-01-04 and 2035-01-07.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "arrowbook";
import { folderSource, serve } from "arrowbook/server";

const CODE = "KEPT/QUOTES";
const ENTRY = {
  vendor_code: "KEPT",
  datatable_code: "QUOTES",
  name: "Quotes",
  columns: [
    { name: "ticker", type: "String" },
    { name: "date", type: "Date" },
    { name: "close", type: "BigDecimal(15,4)" },
  ],
  filters: ["ticker", "date"],
  primary_key: ["ticker", "date"],
  premium: true,
  file: "quotes.csv",
  status: { refreshed_at: "2025-01-02T12:00:00Z" },
};
/** More than a page. */
const TICKERS = 11_000;

/** The service that begins with the first state is gone; `besides` adds the table to another source. */
export async function keptQuotes() {
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-kept-"));
  const write = (state) => {
    const rows = Array.from({ length: TICKERS - state }, (_, i) => {
      const close = i % 7 === 0 ? i + state / 4 : i;
      return `Q${i},2024-12-31,${close.toFixed(4)}\n`;
    });
    if (state > 0) rows.splice(5, 0, `NEW,2025-01-0${state},${state}.5000\n`);
    writeFileSync(join(folder, "quotes.csv"), `ticker,date,close\n${rows.join("")}`);
  };
  writeFileSync(join(folder, "catalog.json"), JSON.stringify({ tables: [ENTRY] }));
  write(0);
  let now = 0;
  const began = Date.now();
  const origin = await serve({ data: folder, clock: () => now });
  const table = connect({ url: origin.url, apiKey: "sample" }).table(CODE);
  const copy = await table.mirror(join(folder, "copy"), { history: true });
  for (const [state, day] of ["2035-01-04", "2035-01-07"].entries()) {
    write(state + 1);
    now = Date.parse(`${day}T12:00:00Z`) - began;
    await origin.refresh(CODE);
    await copy.sync();
  }
  await origin.close();
  const source = folderSource(folder);
  return {
    copy,
    besides: (other) => ({
      ...other,
      catalog: { ...other.catalog, tables: [...other.catalog.tables, ...source.catalog.tables] },
      table: (code, entry) => (code === CODE ? source : other).table(code, entry),
    }),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

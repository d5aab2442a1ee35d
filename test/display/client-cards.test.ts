import { inspect } from "node:util";
import { expect, it } from "vitest";
import { shownStatus } from "../../src/client/bulk/bulk-file.js";
import { shownDataset, shownTable } from "../../src/client/cards/cards.js";
import { connect } from "../../src/client/service.js";
import { bundleOf } from "../../src/display/table/foreign.js";

const service = connect({ url: "http://127.0.0.1:9", apiKey: "a-long-secret-key" });

it("shows questions: what they ask for and how to send them, without the key", () => {
  const series = service
    .dataset("EOD/AAPL")
    .from("2020-01-01")
    .collapse("monthly")
    .transform("rdiff")
    .limit(12)
    .column(4);
  expect(inspect(series)).toBe(
    [
      "Time series EOD/AAPL",
      "  query   monthly · rdiff · from 2020-01-01 · limit 12",
      "  column  4",
      "await query.frame(), .metadata(), .data(), .explain()",
    ].join("\n"),
  );
  const table = service.table("SHARADAR/SEP").where({ ticker: ["AAPL", "MSFT"], date: { gte: "2020-01-01" } });
  expect(inspect(table)).toContain("ticker = AAPL, MSFT · date ≥ 2020-01-01");
  for (const value of [
    service,
    series,
    table,
    table.export(),
    service.database("EOD"),
    service.database("EOD").bulk(),
  ]) {
    const bundle = bundleOf(value) as Record<string, string>;
    expect(Object.keys(bundle)).toEqual(["text/html", "text/plain"]);
    expect(JSON.stringify(bundle) + inspect(value)).not.toContain("a-long-secret-key");
  }
});

it("shows metadata and states without changing them", () => {
  const table = {
    vendor_code: "SHARADAR",
    datatable_code: "SEP",
    name: "Prices",
    description: null,
    columns: [{ name: "ticker", type: "String" }],
    filters: ["ticker"],
    primary_key: ["ticker"],
    premium: true,
    status: { refreshed_at: "2024-01-01T00:00:00Z", status: "ON TIME", expected_at: null, update_frequency: null },
  };
  expect(inspect(shownTable({ ...table }))).toContain("  ticker     String");
  expect(shownTable({ ...table })).toEqual(table);
  const dataset = {
    id: 1,
    dataset_code: "AAPL",
    database_code: "EOD",
    name: "Apple",
    description: "d",
    refreshed_at: null,
    newest_available_date: null,
    oldest_available_date: "1980-12-12",
    column_names: ["Date", "Close"],
    frequency: "daily",
    type: "Time Series",
    premium: false,
  };
  expect(inspect(shownDataset({ ...dataset }))).toContain("EOD/AAPL: Apple\nd\n  columns    Date, Close");
  const status = { status: "fresh", ready: true, data_snapshot_time: null, last_refreshed_time: null } as const;
  expect(inspect(shownStatus("A/B", status))).toContain("Bulk file of A/B: fresh");
});

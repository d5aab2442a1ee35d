import { type Card, showAsCard } from "../../display/base/card.js";
import { sourceParts } from "../../display/base/source-parts.js";
import type { DatabaseMetadata, DatasetMetadata, TableMetadata } from "../../document/records.js";
import type { FrameSource } from "../../spec/frame-source.js";

/** Time-series metadata (spec 2.2) that renders as a card; its members are unchanged. */
export function shownDataset<T extends DatasetMetadata>(metadata: T): T {
  return showAsCard(metadata, (about) => ({
    title: `${about.database_code}/${about.dataset_code}: ${about.name}`,
    text: about.description ?? undefined,
    entries: [
      ["columns", about.column_names.join(", ")],
      ["from", about.oldest_available_date],
      ["to", about.newest_available_date],
      ["frequency", about.frequency],
      ["refreshed", about.refreshed_at],
      ["type", about.type],
      ["premium", about.premium],
    ],
    next: `await service.dataset(${JSON.stringify(`${about.database_code}/${about.dataset_code}`)}).frame()`,
  }));
}

/** Database metadata (spec 2.4) that renders as a card. */
export function shownDatabase(metadata: DatabaseMetadata): DatabaseMetadata {
  return showAsCard(metadata, (about) => ({
    title: `${about.database_code}: ${about.name}`,
    text: about.description ?? undefined,
    entries: [
      ["time series", about.datasets_count],
      ["downloads", about.downloads],
      ["premium", about.premium],
    ],
    next: `service.database(${JSON.stringify(about.database_code)}).bulk("full")`,
  }));
}

/** Table metadata (spec 2.7) that renders as a card. */
export function shownTable(metadata: TableMetadata): TableMetadata {
  return showAsCard(metadata, (about) => ({
    title: `${about.vendor_code}/${about.datatable_code}: ${about.name}`,
    text: about.description ?? undefined,
    entries: [
      ...about.columns.map(({ name, type }) => [name, type] as const),
      ["filters", about.filters.join(", ")],
      ["key", about.primary_key.join(", ")],
      ["refreshed", about.status.refreshed_at],
      ["status", about.status.status],
      ["premium", about.premium],
    ],
    next: `await service.table(${JSON.stringify(`${about.vendor_code}/${about.datatable_code}`)}).frame()`,
  }));
}

/** The card of a query that has not been sent: its parameters, and how to send it. */
export function queryCard(kind: string, source: FrameSource, entries: Card["entries"], next: string): Card {
  const [code, ...asked] = sourceParts(source);
  return {
    title: `${kind} ${code}`,
    entries: [["query", asked.length > 0 ? asked.join(" · ") : undefined], ...entries],
    next,
  };
}

import type { CellReport } from "../arrow/read-options.js";

/** The reports of one part of a read, and the number of its first row. */
export interface PartReports {
  readonly reports: readonly CellReport[];
  readonly before: number;
}

/** Merges the reports of all parts, in order, into those of a single reader. */
export function joinedReports(parts: readonly PartReports[]): CellReport[] {
  const all = new Map<string, CellReport>();
  for (const { reports, before } of parts) {
    for (const report of reports) {
      const key = `${report.what} ${report.column}`;
      const known = all.get(key);
      const moved = report.examples.map((example) => ({ ...example, row: example.row + before }));
      const examples = [...(known?.examples ?? []), ...moved].slice(0, 5);
      all.set(key, { ...report, count: (known?.count ?? 0) + report.count, examples });
    }
  }
  return [...all.values()];
}

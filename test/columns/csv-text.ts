import Papa from "papaparse";

/** Rows as CSV (RFC 4180) by another writer: null as nothing, empty text as `""`, a leading byte order mark quoted. */
export function csvText(rows: readonly (readonly (string | null)[])[]): string {
  if (rows.length === 0) return "";
  const quotes = (cell: unknown): boolean => cell === "" || (typeof cell === "string" && cell.startsWith("\ufeff"));
  return `${Papa.unparse(rows as unknown[][], { newline: "\n", quotes })}\n`;
}

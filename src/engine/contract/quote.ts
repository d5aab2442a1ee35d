/** Quotes any name for SQL: `Cost Total $` becomes `"Cost Total $"`. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

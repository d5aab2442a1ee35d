/** A name as SQL takes it, whatever letters it has: `Cost Total $` becomes `"Cost Total $"`. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

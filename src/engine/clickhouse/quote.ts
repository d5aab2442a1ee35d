/** Quotes any name for ClickHouse, where backslashes escape. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\0", "\\0")}'`;
}

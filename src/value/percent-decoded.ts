/** Decodes percent-encoded UTF-8; undefined for a `%` or bytes that encode nothing. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

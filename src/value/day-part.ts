/**
 * The day of a date followed by a time: `2020-01-31 00:00:00`, `2020-01-31T12:30:00.000Z`. Clients send one where a
 * date is meant, because their languages print dates so. Any other text is returned as it is.
 */
export function dayPart(text: string): string {
  return /^(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?$/.exec(text)?.[1] ?? text;
}

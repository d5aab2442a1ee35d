/** How many bytes at the end of a text are examined. */
const LAST = 200;

/** Whether a text written to a terminal ends its line; undefined where it writes nothing visible. */
export function endsLine(chunk: unknown): boolean | undefined {
  const end = typeof chunk === "string" ? chunk.slice(-LAST) : chunk instanceof Uint8Array ? lastOf(chunk) : "";
  // Colours and cursor movements are invisible.
  const seen = end.replace(/\x1b\[[\d;?]*[A-Za-z]/g, "");
  return seen === "" ? undefined : seen.endsWith("\n");
}

const lastOf = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes.subarray(-LAST));

/**
 * Brings the cursor to the start of an empty line, wherever it was: a line of spaces fills an empty line, and wraps
 * into the next one behind text. Terminals wrap only before the next character, so that an empty line is not skipped.
 */
export function freshLine(columns: number): string {
  return `${" ".repeat(columns)}\r`;
}

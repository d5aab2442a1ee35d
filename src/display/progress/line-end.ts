/** How much of the end of a text is looked at. */
const LAST = 200;

/** Whether a text that goes to a terminal ends its line; undefined where it writes nothing that is seen. */
export function endsLine(chunk: unknown): boolean | undefined {
  const end = typeof chunk === "string" ? chunk.slice(-LAST) : chunk instanceof Uint8Array ? lastOf(chunk) : "";
  // Colours and movements of the cursor are not seen.
  const seen = end.replace(/\x1b\[[\d;?]*[A-Za-z]/g, "");
  return seen === "" ? undefined : seen.endsWith("\n");
}

const lastOf = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes.subarray(-LAST));

/**
 * Brings the cursor to the beginning of an empty line, wherever it was: a line of spaces fills an empty line, and runs into the next one
 * behind text. Terminals wrap only before the next sign, so that an empty line is not passed over.
 */
export function freshLine(columns: number): string {
  return `${" ".repeat(columns)}\r`;
}

import type { RecordBatch } from "../arrow/arrow.js";
import { jsonLines } from "./write-lines.js";

/** Characters of a piece. */
const LENGTH = 1_048_576;

/**
 * Formats batches as one JSON array of objects, in pieces of about 1 MiB, with a line feed at its end. The objects are
 * those of {@link jsonLines}: integers and decimals are numbers of all their digits.
 */
export function* jsonArray(batches: Iterable<RecordBatch>): Generator<string> {
  let text = "[";
  let separator = "";
  for (const batch of batches) {
    for (const line of jsonLines(batch)) {
      text += separator + line.slice(0, -1);
      separator = ",";
      if (text.length < LENGTH) continue;
      yield text;
      text = "";
    }
  }
  yield `${text}]\n`;
}

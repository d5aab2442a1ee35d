import { mutateBytes } from "./mutate.js";
import type { Random } from "./random.js";

/** What {@link mutateText} needs of a language. */
export interface Tokens {
  /** Matches every token; what it leaves out is dropped. */
  readonly all: RegExp;
  /** Matches a whole token in whose place another one of its kind keeps the text well-formed: a value. */
  readonly value: RegExp;
  /** Tokens to put in, the awkward ones of the language. */
  readonly words: readonly string[];
}

/**
 * A changed copy of a text in UTF-8. Half of the time values change places or are replaced by other values, so that the
 * text most often stays well-formed; else tokens are dropped, doubled, exchanged or replaced, now and then any bytes.
 */
export function mutateText(input: Uint8Array, { all, value, words }: Tokens, random: Random): Uint8Array {
  if (random.oneIn(8)) return mutateBytes(input, random);
  const parts = Buffer.from(input).toString().match(all) ?? [];
  const isValue = (part: string): boolean => value.test(part);
  const places = parts.flatMap((part, at) => (isValue(part) ? [at] : []));
  const others = words.filter(isValue);
  for (let changes = 1 + (random.oneIn(3) ? random.below(3) : 0); changes > 0 && parts.length > 0; changes--) {
    if (places.length > 0 && random.oneIn(2)) {
      parts[random.pick(places)] = random.oneIn(3) ? parts[random.pick(places)] : random.pick(others);
      continue;
    }
    const at = random.below(parts.length);
    const other = random.below(parts.length);
    switch (random.below(5)) {
      case 0:
        parts[at] = "";
        break;
      case 1:
        parts[at] += parts[at];
        break;
      case 2:
        parts[at] = random.pick(words) + parts[at];
        break;
      case 3:
        parts[at] = random.pick(words);
        break;
      default:
        [parts[at], parts[other]] = [parts[other], parts[at]];
    }
  }
  return new TextEncoder().encode(parts.join(""));
}

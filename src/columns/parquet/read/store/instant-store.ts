import { FIRST_DAY, LAST_DAY } from "../../../../value/date.js";
import type { ColumnBuilder } from "../../../build/builder.js";
import type { Values } from "../decode/values.js";
import { EachStore } from "./store.js";
import type { TextStore } from "./text-store.js";

const MS_PER_DAY = 86_400_000;
const WORD = 2 ** 32;
const FIRST_MS = FIRST_DAY * MS_PER_DAY;
const END_MS = (LAST_DAY + 1) * MS_PER_DAY;

/** Timestamps in a unit of 64 bits as milliseconds; those with finer digits go by their text. */
export class InstantStore extends EachStore {
  readonly stride = 2;

  constructor(
    private readonly perMs: number,
    builder: ColumnBuilder,
    private readonly byText: TextStore,
  ) {
    super(builder);
  }

  putOne(values: Values, k: number, row: number): void {
    const { words } = this.builder;
    if (values.kind !== "words") {
      this.byText.putOne(values, k, row);
      return;
    }
    const low = values.words[2 * k];
    const high = values.words[2 * k + 1];
    let ms = Math.floor((high * WORD + (low >>> 0)) / this.perMs);
    // The quotient is exact or one off; the lowest 32 bits of the remainder show which.
    let rest = (low - Math.imul(ms % WORD, this.perMs)) | 0;
    if (rest < 0) {
      ms--;
      rest += this.perMs;
    } else if (rest >= this.perMs) {
      ms++;
      rest -= this.perMs;
    }
    if (rest !== 0 || !(ms >= FIRST_MS && ms < END_MS)) this.byText.putOne(values, k, row);
    else {
      const upper = Math.floor(ms / WORD);
      words[2 * row] = ms - upper * WORD;
      words[2 * row + 1] = upper;
    }
  }
}

import type { Values } from "../decode/values.js";
import { EachStore } from "./store.js";

/** Truth values. */
export class BooleanStore extends EachStore {
  readonly stride = 1;

  putOne(values: Values, k: number, row: number): void {
    const { bits } = this.builder;
    if (values.kind === "booleans" && values.booleans[k] === 1) bits[row >> 3] |= 1 << (row & 7);
    else bits[row >> 3] &= ~(1 << (row & 7));
  }
}

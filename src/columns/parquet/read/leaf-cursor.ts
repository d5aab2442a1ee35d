import type { ColumnBuilder } from "../../build/builder.js";
import type { Page, PageReader } from "./decode/pages.js";
import type { Values } from "./decode/values.js";
import type { Store } from "./store/store.js";

/** Reads the rows of a flat column of a row group into its builder, any number at a time. */
export class LeafCursor {
  private page: Page | undefined;
  private values: Values | undefined;
  private valid: Uint8Array | undefined;
  /** Rows and values of the page that are stored. */
  private row = 0;
  private value = 0;
  private isKept = false;

  constructor(
    private readonly pages: PageReader,
    private readonly builder: ColumnBuilder,
    private readonly store: Store,
  ) {}

  /** Stores the next `count` rows from the builder's row `row` on. @throws {ParquetFault}, {DataError} */
  async fill(count: number, row: number): Promise<void> {
    for (let left = count, to = row; left > 0; ) {
      if (this.page === undefined || this.row === this.page.slots) await this.nextPage();
      const { slots = 0 } = this.page ?? {};
      const some = Math.min(left, slots - this.row);
      this.put(some, to);
      to += some;
      left -= some;
    }
    this.keep();
  }

  private async nextPage(): Promise<void> {
    this.page = await this.pages.next();
    this.values = this.page?.values;
    this.valid = validityOf(this.page?.definitions);
    this.row = 0;
    this.value = 0;
    this.isKept = false;
  }

  private put(count: number, row: number): void {
    const { valid, values, builder, value: from, row: first } = this;
    let present = count;
    if (valid !== undefined) {
      present = 0;
      for (let i = first; i < first + count; i++) present += valid[i];
    }
    if (present === 0 || values === undefined) for (let i = 0; i < count; i++) builder.setNull(row + i);
    else this.store.put({ values, from, count, present, valid: present === count ? undefined : valid, first, row });
    this.row += count;
    this.value += present;
  }

  /** Integers are valid until the next page of any column: those of rows to come get memory of their own. */
  private keep(): void {
    const { values, page } = this;
    if (values === undefined || page === undefined || this.isKept || this.row === page.slots) return;
    this.isKept = true;
    if (values.kind === "words") {
      this.values = { ...values, words: values.words.slice(this.value * values.stride) };
      this.value = 0;
    } else if (values.kind === "numbered") {
      this.values = { ...values, numbers: values.numbers.slice(this.value) };
      this.value = 0;
    }
  }
}

/** A byte for each row of a flat column; undefined where all have a value. */
function validityOf(definitions: Int32Array | undefined): Uint8Array | undefined {
  return definitions && Uint8Array.from(definitions);
}

import type { RandomAccess } from "../../../format/random-access.js";
import type { ColumnSpec } from "../../../spec/columns.js";
import { READ_BATCH } from "../../arrow/read-options.js";
import { CellPolicy } from "../../build/bad-cells.js";
import { KeptMemory, SpareMemory } from "../../build/buffer-pool.js";
import { buildersFor, type ColumnBuilder, type RawBatch, type TextMode } from "../../build/builder.js";
import { type Page, PageReader } from "./decode/pages.js";
import type { Values } from "./decode/values.js";
import { ParquetFault, placed } from "./format/fault.js";
import { type Grow, type GrowthLimit, grower } from "./format/growth.js";
import type { Leaf, PageRange } from "./format/types.js";
import { GroupBytes } from "./group-bytes.js";
import type { ParquetRead } from "./options.js";
import type { Store } from "./store/store.js";
import { storeOf } from "./store/store-of.js";

/** Bytes of row groups up to which they are read ahead. */
const MOST_AHEAD = 33_554_432;
/** Row groups of a remote file that are requested at once. */
const REQUESTED_AHEAD = 8;

interface FlatColumn {
  readonly spec: ColumnSpec;
  readonly leaf: Leaf;
  /** How its text is kept; undefined where the first batch decides. */
  readonly mode: TextMode | undefined;
}

/** A row group that is read. */
export interface PlannedGroup {
  readonly number: number;
  /** Rows of the file before it. */
  readonly first: number;
  readonly rows: number;
  /** The pages of each leaf that is read, by the number of the leaf; those of nested columns too. */
  readonly pages: ReadonlyMap<number, PageRange>;
}

/** A read of the flat columns of a file, without functions, so that it can be sent to a thread. */
export interface FlatPlan {
  readonly columns: readonly FlatColumn[];
  readonly groups: readonly PlannedGroup[];
  /** Batches end where row groups do. */
  readonly apart: boolean;
  /** All batches are kept, as those of a table without conditions are. */
  readonly keepsAll: boolean;
  /** How many bytes the pages and texts may take. */
  readonly limit: GrowthLimit;
}

/** The rows of a batch: its flat columns, and where the nested ones are. */
interface FlatBatch {
  readonly raw: RawBatch;
  /** The row group of the last row: that of all rows where batches end with row groups. */
  readonly group: PlannedGroup;
  /** Number of the first row in that row group. */
  readonly from: number;
  /** The pages of the row group. */
  readonly bytes: GroupBytes;
  /** Bytes of the row groups that were read before. */
  readonly done: number;
}

/**
 * Reads the flat columns of row groups, as many rows at a time as a batch has. It does not depend on Arrow, so that
 * worker threads load none of it.
 */
export class FlatRows {
  readonly policy: CellPolicy;
  /** Compressed bytes of all row groups. */
  readonly size: number;
  private readonly builders: readonly ColumnBuilder[];
  private readonly stores: readonly Store[];
  private readonly batchRows: number;
  /** Takes the bytes of pages and of texts that repeat. */
  readonly grow: Grow;
  /** Memory for the bytes of row groups. */
  private readonly spare = new SpareMemory();

  constructor(
    private readonly file: RandomAccess,
    private readonly plan: FlatPlan,
    private readonly options: ParquetRead,
  ) {
    const { columns, groups, apart, keepsAll } = plan;
    const rows = groups.reduce((sum, group) => sum + group.rows, 0);
    this.batchRows = options.batchRows ?? READ_BATCH.rows;
    this.policy = new CellPolicy(options);
    this.builders = buildersFor(
      columns.map(({ spec }) => spec),
      options,
      {
        modes: columns.map(({ mode }) => mode),
        expected: Math.min(rows, this.batchRows),
        memoryOfColumn: keepsAll && !apart ? () => new KeptMemory(Math.ceil(rows / this.batchRows)) : undefined,
      },
    );
    this.grow = grower(plan.limit);
    this.stores = columns.map(({ leaf }, i) => storeOf(leaf, this.builders[i], this.policy, this.grow));
    this.size = groups.reduce((sum, group) => sum + sizeOf(group), 0);
  }

  /** @throws {ParquetFault}, {DataError} for values that do not fit */
  async *batches(): AsyncGenerator<FlatBatch> {
    const { groups, apart } = this.plan;
    let row = 0;
    let capacity = this.capacity;
    let done = 0;
    const begun: GroupBytes[] = [];
    for (const [i, group] of groups.entries()) {
      this.readAhead(begun, i);
      const [bytes] = begun;
      const cursors = this.cursors(group, bytes);
      if (row === 0) this.policy.rowsBefore = group.first;
      for (let left = group.rows; left > 0; ) {
        this.options.signal?.throwIfAborted();
        if (row === capacity) capacity = this.reserve();
        const count = Math.min(left, capacity - row);
        await this.fill(cursors, group, count, row);
        row += count;
        left -= count;
        const isLast = left === 0 && i === groups.length - 1;
        if (row < this.batchRows && !isLast && !(apart && left === 0)) continue;
        const raw = this.take(row, isLast);
        yield { raw, group, from: group.rows - left - row, bytes, done };
        row = 0;
        capacity = this.capacity;
      }
      done += sizeOf(group);
      this.options.onBytes?.(done, this.size);
      await bytes.release();
      begun.shift();
    }
  }

  /**
   * Starts to read row groups ahead: the one after the current, which is read as its pages are needed; of a file whose
   * reads are requests the current one too, and several after it.
   */
  private readAhead(begun: GroupBytes[], current: number): void {
    const { groups } = this.plan;
    const [most, lazy] = this.file.mostAtOnce === undefined ? [2, 1] : [REQUESTED_AHEAD, 0];
    let size = begun.slice(lazy).reduce((sum, bytes) => sum + bytes.size, 0);
    while (begun.length < most && current + begun.length < groups.length) {
      const bytes = this.bytesOf(groups[current + begun.length]);
      if (begun.length >= lazy) size += bytes.size;
      if (begun.length > 0 && size > MOST_AHEAD) return;
      if (begun.length >= lazy && size <= MOST_AHEAD) bytes.prefetch();
      begun.push(bytes);
    }
  }

  /** A batch without rows. */
  empty(): RawBatch {
    return { rows: 0, columns: this.builders.map((builder) => builder.take(0, true)) };
  }

  /** Rows that all builders have room for. */
  private get capacity(): number {
    return this.builders.reduce((least, { capacity }) => Math.min(least, capacity), this.batchRows);
  }

  /** Makes room for the rows of a whole batch. */
  private reserve(): number {
    for (const builder of this.builders) builder.reserve(this.batchRows);
    return this.batchRows;
  }

  private take(rows: number, final: boolean): RawBatch {
    const columns = this.builders.map((builder) => builder.take(rows, final));
    this.policy.rowsBefore += rows;
    return { rows, columns };
  }

  private async fill(cursors: readonly LeafCursor[], group: PlannedGroup, count: number, row: number): Promise<void> {
    for (const [k, cursor] of cursors.entries()) {
      try {
        await cursor.fill(count, row);
      } catch (error) {
        throw inColumn(error, this.plan.columns[k].spec.name, group);
      }
    }
  }

  private bytesOf(group: PlannedGroup): GroupBytes {
    return new GroupBytes(this.file, [...group.pages.values()], this.spare);
  }

  private cursors(group: PlannedGroup, bytes: GroupBytes): LeafCursor[] {
    return this.plan.columns.map(({ leaf }, i) => {
      const pages = group.pages.get(leaf.index) as PageRange;
      const reader = new PageReader(bytes.reader(pages), pages, leaf, {
        stride: this.stores[i].stride,
        grow: this.grow,
      });
      return new LeafCursor(reader, this.builders[i], this.stores[i]);
    });
  }
}

/** Compressed bytes of a row group that are read. */
export function sizeOf({ pages }: PlannedGroup): number {
  let size = 0;
  for (const { start, end } of pages.values()) size += end - start;
  return size;
}

/** Work of each row group: cells and compressed bytes, each about 10 ns. */
export const groupWork = ({ groups, columns }: FlatPlan): number[] =>
  groups.map((group) => group.rows * columns.length + sizeOf(group));

/** An error with the column and row group where it was found. */
export function inColumn(error: unknown, name: string, { number }: PlannedGroup): unknown {
  return placed(error, `column ${JSON.stringify(name)} of row group ${number}`);
}

/** Reads the rows of a flat column of a row group into its builder, any number at a time. */
class LeafCursor {
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
    let left = count;
    const put = (page: Page): void => {
      const some = Math.min(left, page.slots - this.row);
      this.put(some, row + count - left);
      left -= some;
      this.keep();
    };
    while (left > 0) {
      if (this.page !== undefined && this.row < this.page.slots) put(this.page);
      else {
        const isThere = await this.pages.next((page) => {
          this.begin(page);
          put(page);
        });
        if (!isThere) throw new ParquetFault("its pages hold fewer values than it has rows");
      }
    }
  }

  private begin(page: Page): void {
    this.page = page;
    this.values = page.values;
    this.valid = validityOf(page.definitions);
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

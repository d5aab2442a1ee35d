import { DataError } from "../../../errors/errors.js";
import type { RandomAccess } from "../../../format/random-access.js";
import { type Data, type DataType, Field, type RecordBatch, Schema, Table } from "../../arrow/arrow.js";
import { KEY, parsedKey, schemaLike, withKey } from "../../arrow/key.js";
import { BATCH_ROWS } from "../../arrow/read-options.js";
import { recordBatch } from "../../arrow/record-batch.js";
import { fieldOf } from "../../arrow/schema.js";
import { CellPolicy } from "../../build/bad-cells.js";
import { BatchMaker, textModes, warnUnknownTypes } from "../../build/batch-maker.js";
import { buildersFor, type ColumnBuilder, type RawBatch } from "../../build/builder.js";
import { tableOf } from "../../table/conform.js";
import { takeRows } from "../../table/take.js";
import { PageReader } from "./decode/pages.js";
import { placed } from "./format/fault.js";
import type { Chunk, Footer } from "./format/types.js";
import { GroupBytes } from "./group-bytes.js";
import { LeafCursor } from "./leaf-cursor.js";
import { foreignType } from "./leaf-type.js";
import { leavesOf } from "./nested.js";
import { emptyNested, readNested } from "./nested-source.js";
import type { ParquetRead } from "./options.js";
import { fileColumns, type PlannedColumn, type ReadPlan, readPlan } from "./plan.js";
import { retyped } from "./retyped.js";
import { type Store, storeOf } from "./store.js";

/** Bytes of a row group up to which it is read ahead. */
const MOST_AHEAD = 33_554_432;

/** The rows of a batch: finished buffers of the flat columns, and the nested columns. */
interface FileRows {
  readonly raw: RawBatch;
  readonly nested: readonly Data[];
}

/** Reads the rows of a Parquet file whose footer was read. */
export class ParquetRows {
  private readonly plan: ReadPlan;
  private readonly flat: readonly (PlannedColumn & { readonly leaf: NonNullable<PlannedColumn["leaf"]> })[];
  private readonly nested: readonly PlannedColumn[];
  private readonly builders: readonly ColumnBuilder[];
  private readonly stores: readonly Store[];
  private readonly policy: CellPolicy;
  private readonly maker: BatchMaker;
  private readonly batchRows: number;
  private schema: Schema | undefined;

  constructor(
    private readonly file: RandomAccess,
    private readonly footer: Footer,
    private readonly options: ParquetRead,
  ) {
    this.plan = readPlan(footer, options);
    const { columns } = this.plan;
    this.flat = columns.filter((column): column is ParquetRows["flat"][number] => column.leaf !== undefined);
    this.nested = columns.filter(({ leaf }) => leaf === undefined);
    const specs = this.flat.map(({ spec }) => spec);
    const schema = this.schemaOfFlat();
    warnUnknownTypes(specs, options);
    this.batchRows = options.batchRows ?? BATCH_ROWS;
    this.policy = new CellPolicy(options);
    const modes = this.flat.map(({ leaf }, i) => (foreignType(leaf) === undefined ? textModes(schema)?.[i] : "utf8"));
    this.builders = buildersFor(specs, options, modes, Math.min(footer.rows, this.batchRows));
    this.stores = this.flat.map(({ leaf }, i) => storeOf(leaf, this.builders[i], this.policy));
    this.maker = new BatchMaker(specs, { ...options, schema, key: undefined });
  }

  /** The fields of `options.schema` that are flat columns; those that it lacks are as they would be read. */
  private schemaOfFlat(): Schema | undefined {
    const { schema } = this.options;
    if (schema === undefined) return undefined;
    return new Schema(
      this.flat.map(
        ({ name, spec }) => schema.fields.find((field) => field.name === name) ?? fieldOf(spec, this.options),
      ),
    );
  }

  /** Names of the columns of the result. */
  get names(): string[] {
    return this.plan.columns.slice(0, this.plan.chosen).map(({ name }) => name);
  }

  /**
   * Checks that another file has the columns that are read here, and no more where all are.
   *
   * @throws {DataError} SchemaMismatch
   */
  demandSame(other: Footer, path: string, ownPath: string): void {
    const theirs = new Map(fileColumns(other).map((column) => [column.name, column]));
    const [ours, all] = [this.plan.columns, this.options.columns === undefined && this.options.nested !== "skip"];
    const wrong =
      ours.find((column) => !isAlike(column, theirs.get(column.name))) ??
      (all ? [...theirs.values()].find(({ name }) => !ours.some((column) => column.name === name)) : undefined);
    if (wrong === undefined) return;
    const column = JSON.stringify(wrong.name);
    throw new DataError(`The files of a folder differ in column ${column}: ${path} is not like ${ownPath}.`, {
      code: "SchemaMismatch",
      column: wrong.name,
      hint: "Choose the columns that all files have, or read the files one by one.",
    });
  }

  /** The rows as record batches, one at a time; at least one, without rows where there are none. */
  async *batches(): AsyncGenerator<RecordBatch> {
    let isEmpty = true;
    for await (const rows of this.rows()) {
      const batch = this.matching(this.whole(this.maker.batch(rows.raw), rows.nested));
      if (batch === undefined) continue;
      isEmpty = false;
      yield batch;
    }
    this.policy.report();
    if (isEmpty) yield this.emptyBatch();
  }

  /** All rows. */
  async table(): Promise<Table> {
    if (this.plan.tests.length > 0) {
      const batches: RecordBatch[] = [];
      for await (const batch of this.batches()) batches.push(batch);
      return tableOf(batches);
    }
    const all: FileRows[] = [];
    for await (const rows of this.rows()) all.push(rows);
    this.policy.report();
    // All batches share the last state of each dictionary.
    const { batches } = this.maker.table(all.map(({ raw }) => raw));
    const whole = batches.map((batch, i) => this.whole(batch, all[i].nested));
    return whole.length > 0 ? new Table(whole[0].schema, whole) : new Table([this.emptyBatch()]);
  }

  /** Reads the row groups, as many rows at a time as a batch has. Batches of nested columns end where row groups do. */
  private async *rows(): AsyncGenerator<FileRows> {
    const { groups } = this.footer;
    const numbers = this.plan.groups;
    const first = groups.map(() => 0);
    for (let g = 1; g < groups.length; g++) first[g] = first[g - 1] + groups[g - 1].rows;
    const apart = this.nested.length > 0 || numbers.length < groups.length;
    const total = numbers.reduce((sum, g) => sum + this.bytesOf(g).size, 0);
    let row = 0;
    let capacity = this.builders[0]?.capacity ?? this.batchRows;
    let done = 0;
    let bytes = this.bytesOf(numbers[0]);
    for (const [i, g] of numbers.entries()) {
      const next = this.bytesOf(numbers[i + 1]);
      if (next.size <= MOST_AHEAD) next.prefetch();
      const cursors = this.cursors(g, bytes);
      const nested = await this.nestedOf(g, bytes);
      const { rows } = groups[g];
      if (row === 0) this.policy.rowsBefore = first[g];
      for (let left = rows; left > 0; ) {
        this.options.signal?.throwIfAborted();
        if (row === capacity) capacity = this.reserve();
        const count = Math.min(left, capacity - row);
        for (const [k, cursor] of cursors.entries()) {
          await cursor.fill(count, row).catch((error: unknown) => Promise.reject(this.placed(error, this.flat[k], g)));
        }
        row += count;
        left -= count;
        if (row < this.batchRows && !(apart && left === 0)) continue;
        yield this.flush(row, nested, rows - left - row, false);
        row = 0;
        capacity = this.builders[0]?.capacity ?? this.batchRows;
      }
      done += bytes.size;
      this.options.onBytes?.(done, total);
      bytes = next;
    }
    if (row > 0) yield this.flush(row, [], 0, true);
  }

  /** Makes room for the rows of a whole batch. */
  private reserve(): number {
    for (const builder of this.builders) builder.reserve(this.batchRows);
    return this.batchRows;
  }

  private flush(rows: number, nested: readonly Data[], from: number, final: boolean): FileRows {
    const columns = this.builders.map((builder) => builder.take(rows, final));
    this.policy.rowsBefore += rows;
    return { raw: { rows, columns }, nested: nested.map((data) => data.slice(from, rows)) };
  }

  /** What is read of a row group. */
  private bytesOf(g: number | undefined): GroupBytes {
    const chunks =
      g === undefined
        ? []
        : this.plan.columns.flatMap(({ node }) => leavesOf(node).map(({ index }) => this.chunk(g, index)));
    return new GroupBytes(this.file, chunks);
  }

  private chunk(g: number, index: number): Chunk {
    return this.footer.groups[g].chunks[index] as Chunk;
  }

  private cursors(g: number, bytes: GroupBytes): LeafCursor[] {
    return this.flat.map(({ leaf }, i) => {
      const chunk = this.chunk(g, leaf.index);
      const pages = new PageReader(bytes.reader(chunk), chunk, leaf, this.stores[i]);
      return new LeafCursor(pages, this.builders[i], this.stores[i]);
    });
  }

  private async nestedOf(g: number, bytes: GroupBytes): Promise<Data[]> {
    const found: Data[] = [];
    for (const column of this.nested) {
      try {
        const chunkOf = (index: number): Chunk => this.chunk(g, index);
        found.push(await readNested(column.node, chunkOf, bytes, this.footer.groups[g].rows, this.options));
      } catch (error) {
        throw this.placed(error, column, g);
      }
    }
    return found;
  }

  private placed(error: unknown, { name }: PlannedColumn, g: number): unknown {
    return placed(error, `column ${JSON.stringify(name)} of row group ${g}`);
  }

  /** A batch of all columns, in their order and under Arrow's own types where a column has no service type. */
  private whole(flat: RecordBatch, nested: readonly Data[]): RecordBatch {
    const children = this.plan.columns.map((column): Data => {
      if (column.leaf === undefined) return nested[this.nested.indexOf(column)];
      const at = this.flat.indexOf(column as ParquetRows["flat"][number]);
      const data = flat.data.children[at] as Data;
      const type = foreignType(column.leaf);
      return type === undefined ? data : retyped(data, type);
    });
    this.schema ??= this.schemaOf(
      flat.schema,
      children.map(({ type }) => type as DataType),
    );
    return recordBatch(this.schema, children, flat.numRows);
  }

  private schemaOf(flat: Schema, types: readonly DataType[]): Schema {
    const fields = this.plan.columns.map((column, i) => {
      const at = this.flat.indexOf(column as ParquetRows["flat"][number]);
      const isForeign = column.leaf === undefined || foreignType(column.leaf) !== undefined;
      return isForeign ? new Field(column.name, types[i], true) : flat.fields[at];
    });
    return withKey(new Schema(fields), this.options.key ?? parsedKey(this.footer.keyValues.get(KEY) ?? "[]"));
  }

  /** The rows of a batch that meet all conditions, under the chosen columns; undefined where there are none. */
  private matching(batch: RecordBatch): RecordBatch | undefined {
    const { tests } = this.plan;
    if (tests.length === 0) return batch;
    const mask = new Uint8Array(batch.numRows).fill(1);
    for (const { column, test } of tests) test.apply(batch.data.children[column], mask);
    const found = Uint32Array.from({ length: mask.reduce((sum, bit) => sum + bit, 0) });
    for (let i = 0, k = 0; i < mask.length; i++) if (mask[i] === 1) found[k++] = i;
    if (found.length === 0) return undefined;
    const kept = this.chosen(batch);
    if (found.length === batch.numRows) return kept;
    return takeRows(new Table(kept.schema, [kept]), found).batches[0];
  }

  /** A batch without rows. */
  private emptyBatch(): RecordBatch {
    const columns = this.builders.map((builder) => builder.take(0, true));
    const nested = this.nested.map(({ node }) => emptyNested(node, this.options));
    return this.chosen(this.whole(this.maker.batch({ rows: 0, columns }), nested));
  }

  /** The batch without columns that only conditions need. */
  private chosen(batch: RecordBatch): RecordBatch {
    const { chosen, columns } = this.plan;
    if (chosen === columns.length) return batch;
    const schema = schemaLike(batch.schema, batch.schema.fields.slice(0, chosen));
    return recordBatch(schema, batch.data.children.slice(0, chosen), batch.numRows);
  }
}

/** Whether two files hold a column in the same type. */
function isAlike(one: PlannedColumn, other: PlannedColumn | undefined): boolean {
  if (other === undefined || one.spec.type !== other.spec.type) return false;
  if (one.leaf === undefined || other.leaf === undefined) return one.leaf === other.leaf;
  return String(foreignType(one.leaf)) === String(foreignType(other.leaf));
}

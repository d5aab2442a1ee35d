import { DataError } from "../../../errors/errors.js";
import type { RandomAccess } from "../../../format/random-access.js";
import { type Data, type RecordBatch, Schema, Table } from "../../arrow/arrow.js";
import type { CellReport } from "../../arrow/read-options.js";
import { fieldOf } from "../../arrow/schema.js";
import { textModes, warnUnknownTypes } from "../../build/batch-maker.js";
import type { RawBatch } from "../../build/builder.js";
import { tableOf } from "../../table/conform.js";
import { BatchAssembly } from "./batch-assembly.js";
import { type FlatPlan, FlatRows, inColumn, type PlannedGroup } from "./flat-rows.js";
import { foreignType } from "./foreign-type.js";
import { checkGrowth, type Grow, growthLimit } from "./format/growth.js";
import { isForeign } from "./format/leaf-type.js";
import { leavesOf } from "./format/schema.js";
import type { Footer } from "./format/types.js";
import type { GroupBytes } from "./group-bytes.js";
import type { ParquetRead } from "./options.js";
import { fileColumns, type PlannedColumn, plannedGroups, type ReadPlan, readPlan } from "./plan.js";

/**
 * Decodes the flat columns of a file elsewhere, such as on worker threads. `begin` is called once for each stretch of
 * row groups, in their order, and gives what takes its batches.
 *
 * @returns the reports about cells; undefined where the caller must decode the columns itself
 */
export type DecodeElsewhere = (
  plan: FlatPlan,
  options: ParquetRead,
  begin: () => (raw: RawBatch) => void,
) => Promise<readonly CellReport[] | undefined>;

/** The rows of a batch before Arrow is around them. */
interface FileRows {
  readonly raw: RawBatch;
  readonly nested: readonly Data[];
}

/** Reads the rows of a Parquet file whose footer was read. */
export class ParquetRows {
  private readonly plan: ReadPlan;
  private readonly flat: FlatPlan;
  private readonly schema: Schema | undefined;

  constructor(
    private readonly file: RandomAccess,
    private readonly footer: Footer,
    private readonly options: ParquetRead,
  ) {
    this.plan = readPlan(footer, options);
    const { flat, nested, groups } = this.plan;
    warnUnknownTypes(
      flat.map(({ spec }) => spec),
      options,
    );
    this.schema = this.schemaOfFlat();
    const modes = textModes(this.schema);
    this.flat = {
      columns: flat.map(({ spec, leaf }, i) => ({ spec, leaf, mode: isForeign(leaf) ? "utf8" : modes?.[i] })),
      groups: plannedGroups(footer, this.plan),
      apart: nested.length > 0 || groups.length < footer.groups.length,
      keepsAll: false,
      limit: growthLimit(file.size, options),
    };
    const leaves = this.plan.columns.flatMap(({ node }) => leavesOf(node));
    checkGrowth(footer, leaves, groups, this.flat.limit);
  }

  /** The fields of `options.schema` that are flat columns; those that it lacks are as they would be read. */
  private schemaOfFlat(): Schema | undefined {
    const { schema } = this.options;
    if (schema === undefined) return undefined;
    return new Schema(
      this.plan.flat.map(
        ({ name, spec }) => schema.fields.find((field) => field.name === name) ?? fieldOf(spec, this.options),
      ),
    );
  }

  /** Whether a table keeps the batches as they are read. */
  private get keepsAll(): boolean {
    return this.plan.conditions.length === 0;
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
    const flat = this.flatRows();
    const assembly = this.assembly();
    let isEmpty = true;
    for await (const { raw, nested } of this.rows(flat)) {
      const batch = assembly.batch(raw, nested);
      if (batch === undefined) continue;
      isEmpty = false;
      yield batch;
    }
    flat.policy.report();
    if (isEmpty) yield await this.emptyBatch();
  }

  /** All rows, decoded elsewhere where that is possible. */
  async table(decode?: DecodeElsewhere): Promise<Table> {
    let stretches: Stretch[] = [];
    const begin = (): Stretch => {
      const stretch = new Stretch(this.assembly(), this.plan.conditions.length > 0);
      stretches.push(stretch);
      return stretch;
    };
    const take = (): ((raw: RawBatch) => void) => {
      const stretch = begin();
      return (raw) => stretch.add({ raw, nested: [] });
    };
    const isFlat = this.plan.nested.length === 0;
    const reports = isFlat ? await decode?.({ ...this.flat, keepsAll: this.keepsAll }, this.options, take) : undefined;
    if (reports === undefined) {
      stretches = [];
      const flat = this.flatRows(this.keepsAll);
      const stretch = begin();
      for await (const rows of this.rows(flat)) stretch.add(rows);
      flat.policy.report();
    } else for (const report of reports) this.options.onReport?.(report);
    const batches = stretches.flatMap((stretch) => stretch.batches());
    if (batches.length === 0) return new Table([await this.emptyBatch()]);
    // Batches of one stretch share their dictionaries.
    return stretches.length === 1 ? new Table(batches[0].schema, batches) : tableOf(batches, stretches[0].schema);
  }

  private flatRows(keepsAll = false): FlatRows {
    return new FlatRows(this.file, { ...this.flat, keepsAll }, this.options);
  }

  private assembly(): BatchAssembly {
    return new BatchAssembly(this.plan, this.footer, this.options, this.schema);
  }

  private async *rows(flat: FlatRows): AsyncGenerator<FileRows> {
    let last: PlannedGroup | undefined;
    let columns: readonly Data[] = [];
    for await (const { raw, group, from, bytes } of flat.batches()) {
      if (group !== last) columns = await this.nestedOf(group, bytes, flat.grow);
      last = group;
      yield { raw, nested: columns.map((data) => data.slice(from, raw.rows)) };
    }
  }

  /** The nested columns of a row group. */
  private async nestedOf(group: PlannedGroup, bytes: GroupBytes, grow: Grow): Promise<Data[]> {
    const found: Data[] = [];
    if (this.plan.nested.length === 0) return found;
    const { readNested } = await import("./nested-source.js");
    for (const { name, node } of this.plan.nested) {
      try {
        found.push(await readNested(node, group, bytes, this.options, grow));
      } catch (error) {
        throw inColumn(error, name, group);
      }
    }
    return found;
  }

  private async emptyBatch(): Promise<RecordBatch> {
    const nested: Data[] = [];
    for (const { node } of this.plan.nested)
      nested.push((await import("./nested-source.js")).emptyNested(node, this.options));
    return this.assembly().empty(this.flatRows().empty(), nested);
  }
}

/** The batches of a stretch of row groups. */
class Stretch {
  private readonly held: FileRows[] = [];
  private readonly made: RecordBatch[] = [];

  /** @param filters rows that do not meet the conditions are dropped at once */
  constructor(
    private readonly assembly: BatchAssembly,
    private readonly filters: boolean,
  ) {}

  /** As its first batch decided, also where no row of that meets the conditions. */
  get schema(): Schema | undefined {
    return this.assembly.batchSchema;
  }

  add(rows: FileRows): void {
    if (this.filters) this.make(rows);
    else this.held.push(rows);
  }

  /** All batches. Made at the end, they share the last state of each dictionary. */
  batches(): readonly RecordBatch[] {
    for (const rows of this.held) this.make(rows);
    this.held.length = 0;
    return this.made;
  }

  private make({ raw, nested }: FileRows): void {
    const batch = this.assembly.batch(raw, nested);
    if (batch !== undefined) this.made.push(batch);
  }
}

/** Whether two files hold a column in the same type. */
function isAlike(one: PlannedColumn, other: PlannedColumn | undefined): boolean {
  if (other === undefined || one.spec.type !== other.spec.type) return false;
  if (one.leaf === undefined || other.leaf === undefined) return one.leaf === other.leaf;
  return String(foreignType(one.leaf, one.zone)) === String(foreignType(other.leaf, other.zone));
}

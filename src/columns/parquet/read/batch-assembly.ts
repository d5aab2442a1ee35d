import { type Data, type DataType, Field, type RecordBatch, Schema } from "../../arrow/arrow.js";
import { KEY, parsedKey, schemaLike, withKey } from "../../arrow/key.js";
import { recordBatch } from "../../arrow/record-batch.js";
import { BatchMaker } from "../../build/batch-maker.js";
import type { RawBatch } from "../../build/builder.js";
import { rowsMeeting } from "../../predicate/predicate.js";
import { takeBatch } from "../../table/take.js";
import { foreignType, retyped } from "./foreign-type.js";
import { isForeign } from "./format/leaf-type.js";
import type { Footer } from "./format/types.js";
import type { ParquetRead } from "./options.js";
import type { FlatFileColumn, ReadPlan } from "./plan.js";

/** Puts Arrow around the flat columns of batches, one after the other, and the nested columns beside them. */
export class BatchAssembly {
  private readonly maker: BatchMaker;
  private schema: Schema | undefined;
  private chosenSchema: Schema | undefined;

  /** @param flat schema of the flat columns, where it was decided before */
  constructor(
    private readonly plan: ReadPlan,
    private readonly footer: Footer,
    private readonly options: ParquetRead,
    flat: Schema | undefined,
  ) {
    const specs = plan.flat.map(({ spec }) => spec);
    this.maker = new BatchMaker(specs, { ...options, schema: flat, key: undefined });
  }

  /** The rows that meet all conditions, under the chosen columns; undefined where there are none. */
  batch(raw: RawBatch, nested: readonly Data[]): RecordBatch | undefined {
    return this.matching(this.whole(raw, nested));
  }

  /** A batch without rows. */
  empty(raw: RawBatch, nested: readonly Data[]): RecordBatch {
    return this.chosen(this.whole(raw, nested));
  }

  /** The schema of the batches, once the first was put together. */
  get batchSchema(): Schema | undefined {
    return this.chosenSchema;
  }

  /** A batch of all columns, in their order and under Arrow's own types where a column has no service type. */
  private whole(raw: RawBatch, nested: readonly Data[]): RecordBatch {
    const { columns, flat, nested: others } = this.plan;
    const made = this.maker.batch(raw);
    const children = columns.map((column): Data => {
      if (column.leaf === undefined) return nested[others.indexOf(column)];
      const data = made.data.children[flat.indexOf(column as FlatFileColumn)] as Data;
      const type = foreignType(column.leaf, column.zone);
      return type === undefined ? data : retyped(data, type);
    });
    if (this.schema === undefined) {
      this.schema = this.schemaOf(
        made.schema,
        children.map(({ type }) => type as DataType),
      );
      const { chosen } = this.plan;
      const { fields } = this.schema;
      this.chosenSchema = chosen === fields.length ? this.schema : schemaLike(this.schema, fields.slice(0, chosen));
    }
    return recordBatch(this.schema, children, raw.rows);
  }

  private schemaOf(made: Schema, types: readonly DataType[]): Schema {
    const { columns, flat } = this.plan;
    const fields = columns.map((column, i) => {
      if (column.leaf === undefined || isForeign(column.leaf)) return new Field(column.name, types[i], true);
      const field = made.fields[flat.indexOf(column as FlatFileColumn)];
      return field.type === types[i] ? field : field.clone({ type: types[i] });
    });
    return withKey(new Schema(fields), this.options.key ?? parsedKey(this.footer.keyValues.get(KEY) ?? "[]"));
  }

  private matching(batch: RecordBatch): RecordBatch | undefined {
    const { conditions } = this.plan;
    if (conditions.length === 0) return batch;
    const rows = rowsMeeting(batch, conditions);
    if (rows?.length === 0) return undefined;
    const kept = this.chosen(batch);
    return rows === undefined ? kept : takeBatch(kept, rows);
  }

  /** The batch without columns that only conditions need. */
  private chosen(batch: RecordBatch): RecordBatch {
    const { chosen, columns } = this.plan;
    if (chosen === columns.length) return batch;
    return recordBatch(this.chosenSchema as Schema, batch.data.children.slice(0, chosen), batch.numRows);
  }
}

import { type Data, type RecordBatch, Vector } from "../../arrow/arrow.js";
import { recordBatch } from "../../arrow/record-batch.js";
import { badArrow } from "./bad-arrow.js";
import { type Allowance, BatchBody, type BatchSource } from "./body.js";
import { columnOf, columnsOf } from "./column.js";
import type { Message } from "./message.js";
import type { DeclaredSchema } from "./schema.js";

const DICTIONARY = { id: 0, data: 1, isDelta: 2 };

/** The dictionaries of a stream or file at the current message. */
class Dictionaries {
  private readonly states = new Map<number, { readonly chunks: Data[]; vector: Vector | undefined }>();

  has(id: number): boolean {
    return this.states.has(id);
  }

  /** Replaces a dictionary; batches that were already read keep the old one. */
  replace(id: number, values: Data): void {
    this.states.set(id, { chunks: [values], vector: undefined });
  }

  /** Appends values to an existing dictionary. */
  extend(id: number, values: Data): void {
    const state = this.states.get(id);
    if (state === undefined || values.length === 0) return;
    state.chunks.push(values);
    state.vector = undefined;
  }

  /** The current values; the same object until they change. */
  find(id: number): Vector | undefined {
    const state = this.states.get(id);
    if (state !== undefined) state.vector ??= new Vector([...state.chunks]);
    return state?.vector;
  }
}

/** Turns the messages after a schema into record batches, one at a time and in order. */
export class Decoder {
  private readonly dictionaries = new Dictionaries();
  private batches = 0;

  constructor(
    private readonly declared: DeclaredSchema,
    private readonly version: number,
    private readonly allowance: Allowance,
    /** A file may not replace a dictionary: all of its dictionaries are read before its batches. */
    private readonly mayReplace: boolean,
  ) {}

  /** @throws {DataError} BadArrow, UnsupportedArrow */
  batch(message: Message): RecordBatch {
    const { schema } = this.declared;
    const body = new BatchBody(message.header, this.source(message, `batch ${this.batches++}`));
    const columns = columnsOf(body, schema.fields, (id) => this.dictionaries.find(id));
    return recordBatch(schema, columns, body.length);
  }

  /**
   * Takes a dictionary, or values to append to one.
   *
   * @throws {DataError} BadArrow, UnsupportedArrow
   */
  dictionary(message: Message): void {
    const { header, at } = message;
    const id = header.int64(DICTIONARY.id);
    const type = this.declared.dictionaries.get(id);
    if (type === undefined) throw badArrow(`dictionary ${id} is not in the schema`, { at });
    const data = header.table(DICTIONARY.data);
    if (data === undefined) throw badArrow(`dictionary ${id} has no values`, { at });
    const body = new BatchBody(data, this.source(message, `dictionary ${id}`));
    const values = columnOf({ body, dictionary: (other) => this.dictionaries.find(other) }, type, [], body.length);
    body.finish();
    const known = this.dictionaries.has(id);
    if (header.bool(DICTIONARY.isDelta)) {
      if (!known) throw badArrow(`values are appended to dictionary ${id}, which is missing`, { at });
      this.dictionaries.extend(id, values);
    } else {
      if (known && !this.mayReplace) throw badArrow(`dictionary ${id} is in the file twice`, { at });
      this.dictionaries.replace(id, values);
    }
  }

  private source({ body, bodyAt, version, at }: Message, name: string): BatchSource {
    const { bigEndian } = this.declared;
    if (version !== this.version) {
      throw badArrow(`${name} has metadata of version ${version + 1}, the schema of ${this.version + 1}`, { at });
    }
    return { name, body, bodyAt, version, bigEndian, allowance: this.allowance };
  }
}

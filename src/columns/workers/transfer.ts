import { type MessagePort, receivedAt } from "../../platform/node/packages.js";
import type { CellReport } from "../arrow/read-options.js";
import type { RawBatch, RawColumn } from "../build/builder.js";
import { type DictionaryValues, grown, grownInts } from "../build/dictionary.js";

/** How a read ended. */
export interface ReadEnd {
  /** Offset of the next row: for a part, `end` of the task, or less if a row crosses it. */
  readonly offset: number;
  readonly rows: number;
  readonly reports: readonly CellReport[];
}

/** Receives each batch of a read and the offset that was reached. */
export type GiveBatch = (raw: RawBatch, offset: number) => void;

/** The values that a dictionary has gained since the previous batch. */
interface DictionaryDelta {
  /** The number of the dictionary within the read. */
  readonly id: number;
  /** The end of each new text in the bytes of the whole dictionary. */
  readonly ends: Int32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A batch as it is sent between threads. */
export interface SentBatch {
  readonly rows: number;
  readonly columns: readonly (Omit<RawColumn, "dictionary"> & { readonly texts?: DictionaryDelta })[];
}

/**
 * Packs the batches of one read for another thread. A dictionary grows from batch to batch: only its new values are
 * sent.
 */
export class BatchSender {
  private readonly sent = new Map<DictionaryValues, { readonly id: number; size: number }>();

  /** The batch, and the memory to transfer with it. */
  pack({ rows, columns }: RawBatch): { readonly batch: SentBatch; readonly transfer: ArrayBuffer[] } {
    const memory = new Set<ArrayBuffer>();
    const packed = columns.map(({ dictionary, ...column }) => {
      for (const array of [column.words, column.floats, column.bytes, column.validity]) {
        if (array !== undefined && array.byteLength > 0) memory.add(array.buffer as ArrayBuffer);
      }
      if (dictionary === undefined) return column;
      const texts = this.newTexts(dictionary);
      memory.add(texts.ends.buffer).add(texts.bytes.buffer);
      return { ...column, texts };
    });
    return { batch: { rows, columns: packed }, transfer: [...memory] };
  }

  private newTexts(dictionary: DictionaryValues): DictionaryDelta {
    const known = this.sent.get(dictionary) ?? { id: this.sent.size, size: 0 };
    this.sent.set(dictionary, known);
    const { id, size: from } = known;
    const { size, offsets, bytes, byteLength } = dictionary;
    known.size = size;
    return { id, ends: offsets.slice(from + 1, size + 1), bytes: bytes.slice(offsets[from], byteLength) };
  }
}

/** Unpacks the batches of one read in the order in which they were packed. */
export class BatchReceiver {
  private readonly dictionaries = new Map<number, DictionaryCopy>();

  private unpack({ rows, columns }: SentBatch): RawBatch {
    return {
      rows,
      // Written out because a spread would create a new hidden class after each garbage collection (docs/decisions.md).
      columns: columns.map(({ buffer, nullCount, validity, words, floats, bytes, texts }) => {
        const dictionary = texts && this.grown(texts);
        return { buffer, nullCount, validity, words, floats, bytes, dictionary };
      }),
    };
  }

  /** The batches of a message, or of all messages in a port. */
  *batches(reply: { readonly batches: readonly SentBatch[] } | { readonly held: MessagePort }): Generator<RawBatch> {
    if ("batches" in reply) {
      for (const batch of reply.batches) yield this.unpack(batch);
      return;
    }
    try {
      for (let mail = receivedAt(reply.held); mail !== undefined; mail = receivedAt(reply.held)) {
        for (const batch of mail.message as readonly SentBatch[]) yield this.unpack(batch);
      }
    } finally {
      reply.held.close();
    }
  }

  private grown({ id, ends, bytes }: DictionaryDelta): DictionaryValues {
    const dictionary = this.dictionaries.get(id) ?? new DictionaryCopy();
    this.dictionaries.set(id, dictionary);
    dictionary.append(ends, bytes);
    return dictionary;
  }
}

/** The received part of a dictionary. Append-only: values that were read stay valid. */
class DictionaryCopy implements DictionaryValues {
  size = 0;
  offsets: Int32Array = new Int32Array(257);
  bytes: Uint8Array = new Uint8Array(2048);

  get byteLength(): number {
    return this.offsets[this.size];
  }

  append(ends: Int32Array, bytes: Uint8Array): void {
    const { size, byteLength } = this;
    if (byteLength + bytes.length > this.bytes.length) this.bytes = grown(this.bytes, byteLength + bytes.length);
    this.bytes.set(bytes, byteLength);
    if (size + 1 + ends.length > this.offsets.length) this.offsets = grownInts(this.offsets, size + 1 + ends.length);
    this.offsets.set(ends, size + 1);
    this.size += ends.length;
  }
}

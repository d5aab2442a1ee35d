import { type FileState, fileAccess } from "../../format/random-access.js";
import type { CellReport } from "../arrow/read-options.js";
import type { RawBatch } from "../build/builder.js";

export { prepareDecoders } from "../parquet/read/decode/decoders.js";

import { type FlatPlan, FlatRows } from "../parquet/read/flat-rows.js";
import type { ParquetRead } from "../parquet/read/options.js";
import { BatchSender, type SentBatch } from "./transfer.js";

/** Some row groups of a Parquet file: only values that can be sent to a thread. */
export interface ParquetTask {
  readonly path: string;
  /** The state of the file when its footer was read. */
  readonly state: FileState;
  readonly plan: FlatPlan;
  readonly options: ParquetRead;
}

/** Sends batches, the compressed bytes that were read before the last, and the memory that changes its thread. */
type SendBatches = (batches: readonly SentBatch[], offset: number, transfer: readonly ArrayBuffer[]) => void;

interface PartEnd {
  /** Compressed bytes that were read. */
  readonly offset: number;
  readonly rows: number;
  readonly reports: readonly CellReport[];
}

/** Reads row groups. `take` gets each batch and the compressed bytes that were read before it. */
export async function readPart(
  { path, state, plan, options }: ParquetTask,
  take: (raw: RawBatch, done: number) => void,
): Promise<PartEnd> {
  const file = await fileAccess(path, state);
  try {
    const flat = new FlatRows(file, plan, options);
    let rows = 0;
    for await (const { raw, done } of flat.batches()) {
      rows += raw.rows;
      take(raw, done);
    }
    return { offset: flat.size, rows, reports: flat.policy.reports() };
  } finally {
    await file.close();
  }
}

/** Reads row groups and sends their batches, where all are kept in one message: many share a buffer. */
export async function sendParquet(task: ParquetTask, send: SendBatches): Promise<PartEnd> {
  const sender = new BatchSender();
  const held: SentBatch[] = [];
  const memory = new Set<ArrayBuffer>();
  const end = await readPart(task, (raw, done) => {
    const { batch, transfer } = sender.pack(raw);
    if (!task.plan.keepsAll) return send([batch], done, transfer);
    held.push(batch);
    for (const buffer of transfer) memory.add(buffer);
    send([], done, []);
  });
  send(held, end.offset, [...memory]);
  return end;
}

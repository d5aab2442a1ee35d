import { type FileState, fileAccess } from "../../format/random-access.js";
import type { CellReport } from "../arrow/read-options.js";
import { decoders } from "../parquet/read/decode/process-decoders.js";
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

/** Sends a batch, the compressed bytes that were read before it, and the memory that changes its thread. */
type SendBatch = (batch: SentBatch, offset: number, transfer: readonly ArrayBuffer[]) => void;

/** Reads row groups and sends their batches. Returns the bytes and rows in all, and the reports. */
export async function sendParquet(
  { path, state, plan, options }: ParquetTask,
  send: SendBatch,
): Promise<{ offset: number; rows: number; reports: CellReport[] }> {
  const file = await fileAccess(path, state);
  try {
    const sender = new BatchSender();
    const flat = new FlatRows(file, plan, options);
    let rows = 0;
    for await (const { raw, done } of flat.batches()) {
      const { batch, transfer } = sender.pack(raw);
      rows += raw.rows;
      send(batch, done, transfer);
    }
    return { offset: flat.size, rows, reports: flat.policy.reports() };
  } finally {
    await file.close();
  }
}

/** Compiles what reads pages, before there are any. */
export function prepareParquet(): void {
  decoders();
}

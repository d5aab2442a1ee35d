import type { MessagePort } from "../../platform/node/packages.js";
import { type GroupedValues, type Segments, ungroupValues } from "./take-blocks.js";
import { type PART_ROWS, partBuffers } from "./take-places.js";

/** The columns whose second step a thread takes. Each comes by the port, as a {@link ColumnOrder}. */
export interface ColumnsTask {
  readonly segments: Segments;
  readonly port: MessagePort;
  /** One shared number: how many replies were posted to the port. */
  readonly replies: Int32Array;
}

/** The values of a column, whose memory is returned; or a request for all copies. */
export type ColumnOrder = { readonly column: number; readonly values: GroupedValues } | { readonly end: true };

/** A column is copied, and the memory of its values is free; or the copies of all columns; or a failure. */
export type ColumnReply =
  | { readonly free: ArrayBuffer }
  | { readonly copies: readonly ColumnCopy[] }
  | { readonly failed: true };

/** The values of a column, a buffer for each {@link PART_ROWS}. */
export interface ColumnCopy {
  readonly column: number;
  readonly parts: readonly ArrayBuffer[];
}

/** Posts a reply to the caller's thread, which may be waiting for it. */
function replyTo({ port, replies }: ColumnsTask, reply: ColumnReply, transfer: readonly ArrayBuffer[] = []) {
  port.postMessage(reply, transfer);
  Atomics.add(replies, 0, 1);
  Atomics.notify(replies, 0);
}

/** Copies columns as they arrive. They are sent together at the end: V8 then collects its heap once for all. */
export function copyColumns(task: ColumnsTask): void {
  const { segments, port } = task;
  const copies: ColumnCopy[] = [];
  const copy = ({ column, values }: Exclude<ColumnOrder, { end: true }>): void => {
    const parts = partBuffers(segments.back.length, values.width);
    ungroupValues(segments, values, parts);
    copies.push({ column, parts: parts.map(({ buffer }) => buffer as ArrayBuffer) });
    const free = values.bytes.buffer as ArrayBuffer;
    replyTo(task, { free }, [free]);
  };
  port.on("message", (order: ColumnOrder) => {
    try {
      if (!("end" in order)) copy(order);
      // The places go back as well: this thread has no reason to collect them soon.
      else replyTo(task, { copies }, [...copies.flatMap(({ parts }) => parts), segments.back.buffer as ArrayBuffer]);
    } catch {
      replyTo(task, { failed: true });
    }
  });
}

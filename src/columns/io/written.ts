import { InputError } from "../../errors/errors.js";
import type { RecordBatch } from "../arrow/arrow.js";

/** Rows and bytes written to a file. */
export interface Written {
  readonly rows: number;
  readonly bytes: number;
}

/** The option that all writers share. */
export interface OnWritten {
  /** Called with each batch once it has been written. */
  readonly onWritten?: (batch: RecordBatch) => void;
}

/** The error for a file without batches and without a schema. */
export function noBatches(): InputError {
  return new InputError("Without batches the columns are unknown.", {
    code: "NoSchema",
    hint: "Pass the schema.",
  });
}

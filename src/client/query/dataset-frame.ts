import type { ReadOptions } from "../../columns/arrow/read-options.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import type { Document } from "../../document/document.js";
import { DataError, InputError } from "../../errors/errors.js";
import { Frame } from "../../frame/frame.js";
import { seriesColumns } from "../../spec/columns.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { Format } from "../../spec/vocabulary.js";
import { type DatasetReply, datasetContradictions, refuseContradictions } from "../pages/reply-check.js";
import { typedRows } from "../pages/typed-rows.js";
import type { Settings } from "../transport/settings.js";

/** The parameters of a time-series query (spec 4.2). */
export interface DatasetParameters extends Pick<FrameSource, "collapse" | "transform" | "order" | "limit"> {
  readonly column?: string | number;
  readonly from?: string;
  readonly to?: string;
  readonly format: Format;
}

export interface AnsweredDataset {
  readonly code: string;
  readonly settings: Settings;
  readonly wanted: DatasetParameters;
  readonly sent: Readonly<Record<string, string>>;
}

/**
 * The rows of a reply as a frame (spec 2.1, 2.3).
 *
 * @param about members of the frame's source, beside those of the query
 * @throws {InputError} UnknownColumn
 * @throws {DataError} UnexpectedShape, BadCell, ReplyContradicts
 */
export function datasetFrame<Row extends object>(
  { code, settings, wanted, sent }: AnsweredDataset,
  document: Document<"datasetData" | "dataset">,
  options: ReadOptions,
  about: Partial<FrameSource>,
): Frame<Row> {
  const names = document.fields.column_names ?? [];
  const { column, format, limit } = wanted;
  // For a column that does not exist, the reply has a column without a name and no rows (observed at a service of
  // this kind).
  if (column !== undefined && column !== 0 && !names[1]) throw outOfRange(code, column);
  if (names.length === 0 || document.rows === undefined) {
    throw new DataError("The reply has no column names.", { code: "UnexpectedShape" });
  }
  // JSON and XML name their members; a CSV reply is recognized by its header alone.
  if (format === "csv" && names.length === 1 && column !== 0) {
    throw new DataError(`The CSV reply of ${code} has the one column ${JSON.stringify(names[0])}.`, {
      code: "UnexpectedShape",
      hint: "A time series has its dates and a column of values or more: look at what the service sends.",
    });
  }
  const columns = seriesColumns(names);
  const { profile, warn } = settings;
  const read = { warn, key: names.slice(0, 1), ...options };
  const batches = typedRows(document.rows, columns, profile, read);
  const { column_index: index } = sent;
  const column_index = index === undefined ? undefined : Number(index);
  const reply = { echo: echoOf(document), names, batches };
  refuseContradictions(code, datasetContradictions({ ...sent, column, column_index, limit }, reply, profile), profile);
  const rows = batches.reduce((sum, batch) => sum + batch.numRows, 0);
  return Frame.fromBatches<Row>(batches[0]?.schema ?? schemaOf(columns, read), batches, {
    ...sourceOf(code, wanted, rows),
    ...(document.fields.frequency ? { frequency: document.fields.frequency } : {}),
    ...about,
  });
}

function sourceOf(code: string, wanted: DatasetParameters, rows: number): FrameSource {
  const { from, to, collapse, transform, order, limit } = wanted;
  const given = { start_date: from, end_date: to, collapse, transform, order, limit };
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  return { code, ...Object.fromEntries(named), complete: limit === undefined || rows < limit };
}

/** The parameters of the query as the reply repeats them (spec 4.2). */
function echoOf({ fields, missing }: Document<"datasetData" | "dataset">): DatasetReply["echo"] {
  const { collapse, transform, order, column_index, limit } = fields;
  const echo = Object.entries({ collapse, transform, order, column_index, limit });
  return Object.fromEntries(echo.filter(([name, value]) => value !== undefined && !missing?.has(name)));
}

function outOfRange(code: string, column: string | number): InputError {
  return new InputError(`${code} has no column ${JSON.stringify(column)}.`, {
    code: "UnknownColumn",
    column: String(column),
    hint: "metadata() lists the columns; the first one has number 0.",
  });
}

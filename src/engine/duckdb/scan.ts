import type {
  DuckDBConnection,
  DuckDBTableFunctionBindInfo,
  DuckDBTableFunctionInitInfo,
  DuckDBType,
} from "@duckdb/node-api";
import { type Data, type DataType, type Dictionary, type RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { tableOfVectors } from "../../columns/table/of-vectors.js";
import type { ScanSource } from "../contract/scan-source.js";
import { bindings, type Native } from "./bindings.js";
import { enumMembers } from "./enum-members.js";
import { cellWriters, columnWriter, sqlType, storedType } from "./types.js";
import { type CellWriter, CHUNK_ROWS, enumWriter, fillChunk, fillLists, listCells } from "./write.js";

type Api = typeof import("@duckdb/node-api");

/** Scans of Arrow columns, as SQL functions of a source's number; columns are named by {@link scannedName}. */
export interface Scans {
  add(source: ScanSource): AddedSource;
  remove(id: number): void;
}

export interface AddedSource {
  readonly source: ScanSource;
  /** The number in SQL. */
  readonly id: number;
  /** The columns that {@link LISTS} has. */
  listed: readonly number[];
  /** The first error of its scans. */
  error(): unknown;
}

/** The function with a row for each row, and the one with a list of each column for thousands of rows. */
export const ROWS = "arrowbook_scan";
export const LISTS = "arrowbook_lists";

/** The name of a column in the scans of all sources. */
export const scannedName = (id: number, column: number): string => `${id}.${column}`;

interface Registered extends AddedSource {
  failure: unknown;
}

/** How a function scans. */
interface Scanning {
  readonly name: string;
  bind(info: DuckDBTableFunctionBindInfo, of: Registered): void;
  /** The column at a position of the function. */
  columnAt(position: number, of: Registered): number;
  readonly write: typeof fillChunk;
  /** The most rows per call. */
  step(columns: number): number;
  writers(batch: RecordBatch, columns: readonly number[], of: Registered): readonly CellWriter[];
}

/** Where a scan is. */
interface Scan {
  readonly how: Scanning;
  readonly of: Registered;
  readonly columns: readonly number[];
  readonly batches: readonly RecordBatch[];
  /** Of the batch. */
  writers: readonly CellWriter[];
  batch: number;
  row: number;
}

/** Registers the functions with an instance; a connection of it is used for that. */
export function registerScans(api: Api, connection: DuckDBConnection): Scans {
  const sources = new Map<number, Registered>();
  let last = 0;
  for (const how of [rowScanning(api), listScanning(api)]) {
    const scans = api.DuckDBTableFunction.create({
      name: how.name,
      parameterTypes: [api.INTEGER],
      supportsProjectionPushdown: true,
      bindFunction: (info) => bind(info, how, sources.get(Number(info.getParameter(0)))),
      initFunction: (info) => init(info, how),
      mainFunction: () => undefined,
    });
    bindings().table_function_set_function(scans.table_function as unknown as Native, fill);
    connection.registerTableFunction(scans);
  }
  return {
    add(source) {
      const of: Registered = {
        source,
        id: ++last,
        listed: [],
        failure: undefined,
        error: () => of.failure,
      };
      sources.set(of.id, of);
      return of;
    },
    remove: (id) => sources.delete(id),
  };
}

const rowScanning = (api: Api): Scanning => ({
  name: ROWS,
  bind(info, { source, id }) {
    // A column that the engine cannot store is an error where it is used.
    for (const [at, { type }] of source.schema.fields.entries()) {
      info.addResultColumn(scannedName(id, at), typeNamed(api, storedType(type) ?? "VARCHAR"));
    }
    info.setCardinality(source.numRows, true);
  },
  columnAt: (position) => position,
  write: fillChunk,
  step: () => CHUNK_ROWS,
  writers: cellWriters,
});

const listScanning = (api: Api): Scanning => ({
  name: LISTS,
  bind(info, { source, id, listed }) {
    for (const at of listed) {
      const members = enumMembers(source.column(at));
      const type = members === undefined ? typeNamed(api, sqlType(source.schema.fields[at])) : api.ENUM(members);
      info.addResultColumn(scannedName(id, at), api.LIST(type));
    }
    // An estimate of the rows that the lists hold, for the order of joins.
    info.setCardinality(source.numRows, false);
  },
  columnAt: (position, { listed }) => listed[position],
  write: fillLists,
  step: listCells,
  writers(batch, columns, { source }) {
    return batch.data.children.map((data, i) => {
      const members = enumMembers(source.column(columns[i]));
      return members === undefined ? columnWriter(data) : enumWriter(data as Data<Dictionary>, members.length);
    });
  },
});

/** The type of the binding for a SQL type that Arrow columns are stored as. */
function typeNamed(api: Api, name: string): DuckDBType {
  const [, width, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(name) ?? [];
  return width === undefined ? (api[name as "DATE"] as DuckDBType) : api.DECIMAL(Number(width), Number(scale));
}

function bind(info: DuckDBTableFunctionBindInfo, how: Scanning, of: Registered | undefined): void {
  if (of === undefined) {
    info.setError(`The rows of ${how.name}() are those of a call of sql() that is over.`);
    return;
  }
  try {
    how.bind(info, of);
    info.setBindData(of);
  } catch (error) {
    of.failure ??= error;
    info.setError(String(error));
  }
}

function init(info: DuckDBTableFunctionInitInfo, how: Scanning): void {
  const of = info.bindData as Registered;
  try {
    const { schema, numRows } = of.source;
    const columns = info.getColumnIndexes().map((position) => how.columnAt(position, of));
    const fields = columns.map((at) => schema.fields[at]);
    for (const field of fields) sqlType(field);
    const vectors = columns.map((at) => of.source.column(at));
    const typed = fields.map((field, i) => field.clone({ type: vectors[i].type as DataType }));
    const { batches } = tableOfVectors(new Schema(typed), vectors, numRows);
    const scan: Scan = { how, of, columns, batches, writers: [], batch: -1, row: 0 };
    info.setInitData(scan);
    // In one thread, so that rows come in their order.
    info.setMaxThreads(1);
  } catch (error) {
    of.failure ??= error;
    info.setError(String(error));
  }
}

/** Writes the next rows to a chunk; none at the end. */
function fill(info: Native, output: Native): void {
  const native = bindings();
  const scan = native.function_get_init_data(info) as Scan;
  const { batches, columns, how, of } = scan;
  try {
    while (scan.batch < 0 || scan.row >= batches[scan.batch].numRows) {
      if (scan.batch === batches.length - 1) {
        native.data_chunk_set_size(output, 0);
        return;
      }
      scan.batch++;
      scan.row = 0;
      scan.writers = how.writers(batches[scan.batch], columns, of);
    }
    const count = Math.min(how.step(columns.length), batches[scan.batch].numRows - scan.row);
    how.write(output, scan.writers, scan.row, count);
    scan.row += count;
  } catch (error) {
    of.failure ??= error;
    native.function_set_error(info, String(error));
  }
}

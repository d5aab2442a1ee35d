import type {
  DuckDBConnection,
  DuckDBTableFunctionBindInfo,
  DuckDBTableFunctionInitInfo,
  DuckDBType,
} from "@duckdb/node-api";
import { type DataType, type RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { tableOfVectors } from "../../columns/table/of-vectors.js";
import type { ScanSource } from "../contract/scan-source.js";
import { bindings, type Native } from "./bindings.js";
import { cellWriters, sqlType, storedType } from "./types.js";
import { type CellWriter, CHUNK_ROWS, fillChunk } from "./write.js";

type Api = typeof import("@duckdb/node-api");

/** Scans of Arrow columns by number, as the SQL function `arrowbook_scan(number)`. */
export interface Scans {
  add(source: ScanSource): AddedSource;
  remove(id: number): void;
}

interface AddedSource {
  /** The number in SQL. */
  readonly id: number;
  /** The first error of its scans. */
  error(): unknown;
  /** The columns that have been scanned. */
  used(): Schema;
}

interface Registered {
  readonly source: ScanSource;
  readonly used: Set<number>;
  error: unknown;
}

/** Where a scan is. */
interface Scan {
  readonly of: Registered;
  readonly batches: readonly RecordBatch[];
  /** Of the batch. */
  writers: readonly CellWriter[];
  batch: number;
  row: number;
}

/** Registers the function with an instance; a connection of it is used for that. */
export function registerScans(api: Api, connection: DuckDBConnection): Scans {
  const sources = new Map<number, Registered>();
  let last = 0;
  const scans = api.DuckDBTableFunction.create({
    name: "arrowbook_scan",
    parameterTypes: [api.INTEGER],
    supportsProjectionPushdown: true,
    bindFunction: (info) => bind(api, info, sources.get(Number(info.getParameter(0)))),
    initFunction: init,
    mainFunction: () => undefined,
  });
  bindings().table_function_set_function(scans.table_function as unknown as Native, fill);
  connection.registerTableFunction(scans);
  return {
    add(source) {
      const of: Registered = { source, used: new Set(), error: undefined };
      sources.set(++last, of);
      const used = () => new Schema(source.schema.fields.filter((_, at) => of.used.has(at)));
      return { id: last, error: () => of.error, used };
    },
    remove: (id) => sources.delete(id),
  };
}

function bind(api: Api, info: DuckDBTableFunctionBindInfo, of: Registered | undefined): void {
  if (of === undefined) {
    info.setError("The rows of arrowbook_scan() are those of a call of sql() that is over.");
    return;
  }
  const { schema, numRows } = of.source;
  // A column that the engine cannot store is an error where it is used.
  for (const { name, type } of schema.fields) info.addResultColumn(name, typeNamed(api, storedType(type) ?? "VARCHAR"));
  info.setCardinality(numRows, true);
  info.setBindData(of);
}

/** The type of the binding for a SQL type that Arrow columns are stored as. */
function typeNamed(api: Api, name: string): DuckDBType {
  const [, width, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(name) ?? [];
  return width === undefined ? (api[name as "DATE"] as DuckDBType) : api.DECIMAL(Number(width), Number(scale));
}

function init(info: DuckDBTableFunctionInitInfo): void {
  const of = info.bindData as Registered;
  try {
    const { schema, numRows } = of.source;
    const columns = info.getColumnIndexes();
    const fields = columns.map((at) => schema.fields[at]);
    for (const field of fields) sqlType(field);
    for (const at of columns) of.used.add(at);
    const vectors = columns.map((at) => of.source.column(at));
    const typed = fields.map((field, i) => field.clone({ type: vectors[i].type as DataType }));
    const { batches } = tableOfVectors(new Schema(typed), vectors, numRows);
    const scan: Scan = { of, batches, writers: [], batch: -1, row: 0 };
    info.setInitData(scan);
    // In one thread, so that rows come in their order.
    info.setMaxThreads(1);
  } catch (error) {
    of.error ??= error;
    info.setError(String(error));
  }
}

/** Writes the next rows to a chunk; none at the end. */
function fill(info: Native, output: Native): void {
  const native = bindings();
  const scan = native.function_get_init_data(info) as Scan;
  try {
    while (scan.batch < 0 || scan.row >= scan.batches[scan.batch].numRows) {
      if (scan.batch === scan.batches.length - 1) {
        native.data_chunk_set_size(output, 0);
        return;
      }
      scan.batch++;
      scan.row = 0;
      scan.writers = cellWriters(scan.batches[scan.batch]);
    }
    const count = Math.min(CHUNK_ROWS, scan.batches[scan.batch].numRows - scan.row);
    fillChunk(output, scan.writers, scan.row, count);
    scan.row += count;
  } catch (error) {
    scan.of.error ??= error;
    native.function_set_error(info, String(error));
  }
}

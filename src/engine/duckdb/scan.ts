import type {
  DuckDBConnection,
  DuckDBTableFunctionBindInfo,
  DuckDBTableFunctionInitInfo,
  DuckDBType,
} from "@duckdb/node-api";
import {
  type Data,
  type DataType,
  type Dictionary,
  type RecordBatch,
  Schema,
  Type,
  type Vector,
} from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { tableOfVectors } from "../../columns/table/of-vectors.js";
import { sameDictionary } from "../../columns/table/take.js";
import type { ScanSource } from "../contract/engine.js";
import { quoteName } from "../contract/statements.js";
import { bindings, type Native } from "./bindings.js";
import { isPlainText, oncePerDictionary } from "./strings.js";
import { columnWriter, sqlType, storedType } from "./types.js";
import { type CellWriter, CHUNK_ROWS, enumWriter, fillChunk } from "./write.js";

type Api = typeof import("@duckdb/node-api");

/** Scans of Arrow columns, as a SQL function of a source's number; columns are named by {@link scannedName}. */
export interface Scans {
  /** @param withEnums whether text with few values is read as enums */
  add(source: ScanSource, withEnums: boolean): AddedSource;
  remove(id: number): void;
}

export interface AddedSource {
  readonly source: ScanSource;
  readonly id: number;
  /** The strings of the text columns that are read as enums: numbers of a byte or two instead of strings. */
  readonly members: readonly (readonly string[] | undefined)[];
  error(): unknown;
}

const SCAN = "arrowbook_scan";

const scannedName = (id: number, column: number): string => `${id}.${column}`;

interface Registered extends AddedSource {
  failure: unknown;
}

interface Scan {
  readonly of: Registered;
  readonly columns: readonly number[];
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
    name: SCAN,
    parameterTypes: [api.INTEGER],
    supportsProjectionPushdown: true,
    bindFunction: (info) => bind(api, info, sources.get(Number(info.getParameter(0)))),
    initFunction: init,
    mainFunction: () => undefined,
  });
  bindings().table_function_set_function(scans.table_function as unknown as Native, fill);
  connection.registerTableFunction(scans);
  return {
    add(source, withEnums) {
      const members = source.schema.fields.map((_, at) => (withEnums ? enumMembers(source, at) : undefined));
      const of: Registered = { source, id: ++last, members, failure: undefined, error: () => of.failure };
      sources.set(of.id, of);
      return of;
    },
    remove: (id) => sources.delete(id),
  };
}

/** SQL that creates the view `name` of a source's rows. */
export function viewOf(name: string, { id, source, members }: AddedSource): string {
  const columns = source.schema.fields.map((field, at) => {
    const scanned = quoteName(scannedName(id, at));
    return `${members[at] === undefined ? scanned : `CAST(${scanned} AS VARCHAR)`} AS ${quoteName(field.name)}`;
  });
  return `CREATE TEMP VIEW ${quoteName(name)} AS SELECT ${columns.join(", ")} FROM ${SCAN}(${id})`;
}

/** The type of the binding for a SQL type that Arrow columns are stored as. */
function typeNamed(api: Api, name: string): DuckDBType {
  const [, width, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(name) ?? [];
  return width === undefined ? (api[name as "DATE"] as DuckDBType) : api.DECIMAL(Number(width), Number(scale));
}

/** The most members of an enum: creating the type takes a call a member, for each statement. */
const MOST_MEMBERS = 4_096;

/**
 * The strings of the dictionary that all batches of a text column share, if its indices can be read as an enum of the
 * engine: few strings, none null or twice.
 */
function enumMembers({ schema, whole }: ScanSource, at: number): readonly string[] | undefined {
  if (schema.fields[at].type.typeId !== Type.Dictionary) return undefined;
  const dictionaries = whole(at).data.map((data) => data.dictionary as Vector | undefined);
  const [dictionary] = dictionaries;
  if (dictionary === undefined || dictionary.nullCount > 0 || !isPlainText(dictionary.type)) return undefined;
  if (dictionary.length === 0 || dictionary.length > MOST_MEMBERS) return undefined;
  const isShared = dictionaries.every((other) => other !== undefined && sameDictionary(other, dictionary));
  return isShared ? membersOf(dictionary) : undefined;
}

/** The strings; undefined if one occurs twice, or has a NUL, at which the bindings cut them off. */
const membersOf = oncePerDictionary((dictionary): readonly string[] | undefined => {
  const members = dictionary.data.flatMap((data) => {
    const { value } = chunkReader(data);
    return Array.from({ length: data.length }, (_, i) => String(value(i)));
  });
  const isDistinct = new Set(members).size === members.length;
  return isDistinct && !members.some((text) => text.includes("\0")) ? members : undefined;
});

function bind(api: Api, info: DuckDBTableFunctionBindInfo, of: Registered | undefined): void {
  if (of === undefined) {
    info.setError("The rows are those of a call of sql() that is over.");
    return;
  }
  const { source, id, members } = of;
  try {
    for (const [at, { type }] of source.schema.fields.entries()) {
      const names = members[at];
      // A column that the engine cannot store is an error where it is used.
      const read = names === undefined ? typeNamed(api, storedType(type) ?? "VARCHAR") : api.ENUM(names);
      info.addResultColumn(scannedName(id, at), read);
    }
    info.setCardinality(source.numRows, true);
    info.setBindData(of);
  } catch (error) {
    of.failure ??= error;
    info.setError(String(error));
  }
}

function init(info: DuckDBTableFunctionInitInfo): void {
  const of = info.bindData as Registered;
  try {
    const { schema, numRows } = of.source;
    const columns = info.getColumnIndexes();
    const fields = columns.map((at) => schema.fields[at]);
    for (const field of fields) sqlType(field);
    const vectors = columns.map((at) => of.source.column(at));
    const typed = fields.map((field, i) => field.clone({ type: vectors[i].type as DataType }));
    const { batches } = tableOfVectors(new Schema(typed), vectors, numRows);
    const scan: Scan = { of, columns, batches, writers: [], batch: -1, row: 0 };
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
  const { batches, columns, of } = scan;
  try {
    while (scan.batch < 0 || scan.row >= batches[scan.batch].numRows) {
      if (scan.batch === batches.length - 1) {
        native.data_chunk_set_size(output, 0);
        return;
      }
      scan.batch++;
      scan.row = 0;
      scan.writers = batches[scan.batch].data.children.map((data, i) => {
        const members = of.members[columns[i]];
        return members === undefined ? columnWriter(data) : enumWriter(data as Data<Dictionary>, members.length);
      });
    }
    const count = Math.min(CHUNK_ROWS, batches[scan.batch].numRows - scan.row);
    fillChunk(output, scan.writers, scan.row, count);
    scan.row += count;
  } catch (error) {
    of.failure ??= error;
    native.function_set_error(info, String(error));
  }
}

import type { Schema } from "../../columns/arrow/arrow.js";
import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { quoteName, quoteText } from "./statement.js";
import { columnType } from "./types.js";

/** Tables of loads that are not complete, and the shards' tables behind distributed ones. */
export const LOADING = "arrowbook_load_";
export const SHARD_ROWS = "arrowbook_rows_";

/** Blocks that a table remembers, so that a repeated one is not stored twice. */
const REMEMBERED_BLOCKS = 10_000;

/** How rows become visible: in place of a table that exists, as a new one, or added to one. */
export type Publish = "exchange" | "rename" | "add";

/** The decisions of a load before its first row. */
export interface LoadRequest {
  readonly database: string;
  readonly name: string;
  readonly schema: Schema;
  readonly key: readonly string[];
  /** The columns by which rows are stored in a table without a key. */
  readonly orderBy: readonly string[];
  /** The columns whose values choose the shard; default the key. */
  readonly shardBy: readonly string[];
  readonly cluster: string | undefined;
  /** Makes the names of this load's tables unique. */
  readonly id: string;
  readonly publish: Publish;
  /** The shards' table behind the distributed one that exists. */
  readonly shardRows: string | undefined;
}

export interface LoadPlan {
  /** The table that receives the rows: its name, and as SQL. */
  readonly stagingName: string;
  readonly staging: string;
  readonly create: readonly string[];
  readonly insert: string;
  readonly count: string;
  /** Makes the rows visible, in one step on each node. */
  readonly publish: string;
  /** Removes the staging tables and the old rows once the new rows are visible. */
  readonly drop: readonly string[];
  readonly undo: readonly string[];
}

/** @throws {InputError} UnsupportedType; BadArgument, UnknownColumn for `shardBy` */
export function planLoad(request: LoadRequest): LoadPlan {
  const { database, schema, key, cluster, id, publish } = request;
  const sorted = key.length > 0 ? key : request.orderBy;
  const qualified = (table: string): string => `${quoteName(database)}.${quoteName(table)}`;
  const target = qualified(request.name);
  const stagingName = `${LOADING}${id}`;
  const staging = qualified(stagingName);
  const columns = schema.fields
    .map((field) => `  ${quoteName(field.name)} ${columnType(field, sorted.includes(field.name))}`)
    .join(",\n");
  const order = sorted.length === 0 ? "tuple()" : `(${sorted.map(quoteName).join(", ")})`;
  const engine = key.length === 0 ? "MergeTree" : "ReplacingMergeTree";
  const on = cluster === undefined ? "" : ` ON CLUSTER ${quoteName(cluster)}`;
  /** The table with the rows, which on a cluster is behind the staging table; and that of the rows before. */
  const rows = cluster === undefined ? staging : qualified(`${SHARD_ROWS}${id}`);
  const old = cluster === undefined || request.shardRows === undefined ? [] : [qualified(request.shardRows)];
  const staged = cluster === undefined ? [staging] : [staging, rows];
  const dropped = (table: string): string => `DROP TABLE IF EXISTS ${table}${on} SYNC`;
  const [replicated, window] = cluster === undefined ? ["", "non_replicated"] : ["Replicated", "replicated"];
  const create = [
    `CREATE TABLE IF NOT EXISTS ${rows}${on} (\n${columns}\n) ENGINE = ${replicated}${engine} ORDER BY ${order} ` +
      `SETTINGS ${window}_deduplication_window = ${REMEMBERED_BLOCKS}`,
  ];
  if (cluster !== undefined) {
    const place = [cluster, database, `${SHARD_ROWS}${id}`].map(quoteText);
    const distributed = `Distributed(${[...place, shardOf(request)].join(", ")})`;
    create.push(`CREATE TABLE IF NOT EXISTS ${staging}${on} AS ${rows} ENGINE = ${distributed}`);
  }
  return {
    stagingName,
    staging,
    create,
    insert: `INSERT INTO ${staging} (${schema.fields.map((field) => quoteName(field.name)).join(", ")}) FORMAT ArrowStream`,
    count: `SELECT count() AS n FROM ${staging}${key.length === 0 ? "" : " FINAL"}`,
    publish: {
      exchange: `EXCHANGE TABLES ${staging} AND ${target}${on}`,
      rename: `RENAME TABLE ${staging} TO ${target}${on}`,
      add: `ALTER TABLE ${rows}${on} MOVE PARTITION tuple() TO TABLE ${old[0] ?? target}`,
    }[publish],
    drop: { exchange: [staging, ...old], rename: [], add: staged }[publish].map(dropped),
    undo: staged.map(dropped),
  };
}

/** The expression that chooses a row's shard: rows of one key share one, so that a later row can replace an earlier. */
function shardOf({ schema, key, shardBy }: LoadRequest): string {
  const names = schema.fields.map((field) => field.name);
  for (const name of shardBy) {
    if (!names.includes(name)) {
      throw new InputError(`shardBy has no column ${JSON.stringify(name)}. ${suggestion(name, names, "columns")}`, {
        code: "UnknownColumn",
        column: name,
      });
    }
    if (key.length > 0 && !key.includes(name)) {
      throw new InputError(`shardBy has the column ${JSON.stringify(name)}, which is not part of the key.`, {
        code: "BadArgument",
        hint: "Shard by columns of the key: rows of one key must be on one shard.",
      });
    }
  }
  const columns = shardBy.length > 0 ? shardBy : key;
  return columns.length === 0 ? "rand()" : `cityHash64(${columns.map(quoteName).join(", ")})`;
}

/** The plan as SQL that can be read and run. */
export function planText({ create, insert, count, publish, drop }: LoadPlan): string {
  return [...create, insert, count, publish, ...drop].map((sql) => `${sql};`).join("\n");
}

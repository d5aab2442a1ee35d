import { tableTexts } from "../../columns/arrow/cell-batch.js";
import { hasCode, InputError } from "../../errors/errors.js";
import { noColumn } from "../../errors/options.js";
import type { StatementRunner } from "../contract/dialect.js";
import type {
  ForeignColumn,
  ForeignSource,
  ForeignState,
  ForeignTable,
  SeekColumn,
} from "../contract/foreign-table.js";
import { type SeekType, servedType, unwrapped } from "./foreign-types.js";
import { quoteName, quoteText } from "./statement.js";

/** A table as the server's own tables describe it. */
interface Described {
  /** Its name, for messages. */
  readonly shown: string;
  /** Its name in SQL. */
  readonly sql: string;
  /** Finds it in one of the server's own tables. */
  where(nameColumn: string): string;
  readonly engine: string;
  readonly uuid: string;
  readonly sortingKey: string;
  /** Its definition without quoted names and strings. */
  readonly definition: string;
  readonly columns: readonly DescribedColumn[];
}

interface DescribedColumn {
  readonly name: string;
  readonly type: string;
  /** `ALIAS`, `MATERIALIZED`, `EPHEMERAL`, `DEFAULT` or empty. */
  readonly kind: string;
}

/** Describes a table of the MergeTree family that others load; see `Dialect`. */
export async function foreignTable(engine: StatementRunner, source: ForeignSource): Promise<ForeignTable> {
  const table = await describe(engine, source.from);
  checkKind(table);
  const isReplacing = REPLACING.test(table.engine);
  const from = `${table.sql}${isReplacing ? " FINAL" : ""}`;
  const sorted = sortedColumns(table);
  const key = keyOf(table, sorted, source.key);
  const version = source.version === undefined ? undefined : versionOf(table, source.version);
  const isUnique = isReplacing && sorted.isWhole && key.length === sorted.names.length;
  return {
    from,
    columns: servedColumns(table, source.columns),
    key,
    version: version?.column,
    repeated: isUnique ? undefined : repeatedKey(from, key),
    state: () => (version === undefined ? partsState(engine, table) : versionState(engine, table, version)),
  };
}

async function describe(engine: StatementRunner, from: ForeignSource["from"]): Promise<Described> {
  const parts = typeof from === "string" ? from.split(".") : from;
  const shown = JSON.stringify(parts.join("."));
  if (parts.length > 2 || parts.some((part) => part === "")) {
    throw new InputError(`${shown} is not the name of a table.`, {
      code: "NotServable",
      hint: 'Pass "database.table", or ["database", "table"] for names with a dot.',
    });
  }
  const name = parts[parts.length - 1];
  const database = parts.length === 2 ? quoteText(parts[0]) : "currentDatabase()";
  const where = (nameColumn: string): string => `database = ${database} AND ${nameColumn} = ${quoteText(name)}`;
  const tables = await engine.query(
    `SELECT engine, toString(uuid), sorting_key, create_table_query FROM system.tables WHERE ${where("name")}`,
  );
  if (tables.numRows === 0) {
    throw new InputError(`There is no table ${shown} that the user can read.`, {
      code: "NotServable",
      hint: "Check the name, and the rights of the user: GRANT SELECT ON database.table.",
    });
  }
  const [[kind, uuid, sortingKey, definition]] = tableTexts(tables);
  const columns = await engine.query(
    `SELECT name, type, default_kind FROM system.columns WHERE ${where("table")} ORDER BY position`,
  );
  return {
    shown,
    sql: parts.map(quoteName).join("."),
    where,
    engine: `${kind}`,
    uuid: `${uuid}`,
    sortingKey: `${sortingKey}`,
    definition: `${definition}`.replace(QUOTED, ""),
    columns: tableTexts(columns).map(([column, type, default_kind]) => ({
      name: `${column}`,
      type: `${type}`,
      kind: `${default_kind}`,
    })),
  };
}

const QUOTED = /`(?:[^`\\]|\\[\s\S])*`|'(?:[^'\\]|\\[\s\S])*'/g;

/** Engines whose rows stay as they were inserted, or are replaced by their key. */
const SERVED = /^(?:Replicated|Shared)?(?:Replacing)?MergeTree$/;
const REPLACING = /ReplacingMergeTree$/;
const NO_UUID = /^[0-]+$/;

function checkKind({ shown, engine, uuid, definition }: Described): void {
  if (!SERVED.test(engine)) {
    const isView = /View$/.test(engine);
    throw new InputError(`${shown} is a table of the engine ${engine}, whose rows have no key that holds.`, {
      code: "NotServable",
      hint: isView
        ? "Serve the table that the view reads, or a table with its rows."
        : "Serve a table of the engine MergeTree or ReplacingMergeTree, also replicated; of a distributed table, each shard's.",
    });
  }
  if (NO_UUID.test(uuid)) {
    throw new InputError(
      `${shown} is in a database whose tables have no UUID, so that a replaced one is not noticed.`,
      {
        code: "NotServable",
        hint: "Serve a table of a database of the engine Atomic, the default, or Replicated.",
      },
    );
  }
  if (/\bDESC\b/.test(definition)) {
    throw new InputError(`${shown} is sorted in descending order, in which rows are not found by their key.`, {
      code: "NotServable",
      hint: "Serve a table whose sorting key ascends.",
    });
  }
}

/** The columns at the begin of a sorting key, up to its first expression. */
interface SortedColumns {
  readonly names: readonly string[];
  /** Whether it has no expression. */
  readonly isWhole: boolean;
}

const SORTED_COLUMN = /\s*(?:`((?:[^`\\]|\\[\s\S])*)`|([A-Za-z_]\w*))\s*(,|$)/y;

function sortedColumns({ sortingKey, columns }: Described): SortedColumns {
  const names: string[] = [];
  SORTED_COLUMN.lastIndex = 0;
  for (;;) {
    const match = SORTED_COLUMN.exec(sortingKey);
    if (match === null) return { names, isWhole: false };
    const name = match[2] ?? match[1].replace(/\\([\s\S])/g, "$1");
    if (!columns.some((column) => column.name === name)) return { names, isWhole: false };
    names.push(name);
    if (match[3] === "") return { names, isWhole: true };
  }
}

function keyOf(
  table: Described,
  { names, isWhole }: SortedColumns,
  given: readonly string[] | undefined,
): readonly SeekColumn[] {
  const { shown } = table;
  if (names.length === 0) {
    throw new InputError(`${shown} is not sorted by a column, so that its rows are not found by a key.`, {
      code: "NotServable",
      hint: "Serve a table with ORDER BY the columns that identify a row.",
    });
  }
  if (given === undefined && !isWhole) {
    throw new InputError(`${shown} has no key of columns: it is sorted by (${table.sortingKey}).`, {
      code: "NotServable",
      hint: `Pass the columns that identify a row as key, beginning with ${names.join(", ")}.`,
    });
  }
  const key = given ?? names;
  const common = Math.min(key.length, names.length);
  if (common === 0 || key.slice(0, common).join("\0") !== names.slice(0, common).join("\0")) {
    throw new InputError(
      `The key (${key.join(", ")}) of ${shown} is not in the order of its rows: (${names.join(", ")}).`,
      {
        code: "NotServable",
        hint: `Begin the key with ${names.join(", ")}: otherwise each page would sort the whole table.`,
      },
    );
  }
  return key.map((name) => seekColumn(table, name, "key").column);
}

/** A column by which rows are found, and its type. */
interface FoundBy {
  readonly column: SeekColumn;
  readonly seek: SeekType;
}

function seekColumn(table: Described, name: string, role: "key" | "version"): FoundBy {
  const found = storedColumn(table, name);
  const seek = servedType(found.type)?.seek;
  const isNullable = unwrapped(found.type) !== found.type && /^(?:LowCardinality\()?Nullable\(/.test(found.type);
  if (seek === undefined || isNullable || found.kind === "ALIAS") {
    const what = isNullable ? "may be null" : `is ${found.kind === "ALIAS" ? "an alias" : found.type}`;
    throw new InputError(`The column ${JSON.stringify(name)} of the ${role} of ${table.shown} ${what}.`, {
      code: "NotServable",
      column: name,
      hint: `The columns of a ${role} are stored, are not Nullable, and have an exact order: no floating-point numbers or lists.`,
    });
  }
  const sql = columnSql(name);
  return { column: { name, sql, text: seek.text(sql), value: seek.value }, seek };
}

/** The name in SQL without question marks, which stand for values. */
const columnSql = (name: string): string => quoteName(name).replaceAll("?", "\\x3F");

function storedColumn({ shown, columns }: Described, name: string): DescribedColumn {
  const found = columns.find((column) => column.name === name && column.kind !== "EPHEMERAL");
  if (found !== undefined) return found;
  throw noColumn(
    shown,
    name,
    columns.map((column) => column.name),
  );
}

function versionOf(table: Described, name: string): FoundBy {
  const found = seekColumn(table, name, "version");
  if (REPLACING.test(table.engine) || hasTtl(table)) {
    throw new InputError(`${table.shown} replaces or expires rows, so that those up to a version are not kept.`, {
      code: "NotServable",
      hint: "Leave out version: cursors then end when the table changes.",
    });
  }
  if (found.seek.isOrdered) return found;
  throw new InputError(`The version ${JSON.stringify(name)} of ${table.shown} is not a number or time.`, {
    code: "NotServable",
    column: name,
    hint: "Pass a column of integers, decimals, dates or timestamps that is larger in each row added later.",
  });
}

/** Columns that are computed when they are read, or not stored, are served only if they are named. */
const COMPUTED = /^(?:ALIAS|MATERIALIZED|EPHEMERAL)$/;

function servedColumns(table: Described, names: readonly string[] | undefined): readonly ForeignColumn[] {
  const stored = table.columns.filter(({ kind }) => !COMPUTED.test(kind));
  const chosen = names === undefined ? stored : names.map((name) => storedColumn(table, name));
  return chosen.map(({ name, type }) => {
    const served = servedType(type);
    if (served === undefined) {
      throw new InputError(
        `Column ${JSON.stringify(name)} of ${table.shown} is ${type}, which the service has no type for.`,
        {
          code: "UnsupportedType",
          column: name,
          hint: "Leave it out: pass the other columns as columns.",
        },
      );
    }
    const sql = columnSql(name);
    const { compared } = served;
    return {
      name,
      type: served.type,
      read: served.read(sql),
      ...(compared && { compared: { sql: compared.sql(sql), type: compared.type } }),
    };
  });
}

/** Compares each row with the one before it in the order of the key, which needs less memory than counting keys. */
function repeatedKey(from: string, key: readonly SeekColumn[]): string {
  const names = key.map(({ sql }) => sql);
  const same = names.map((sql) => `${sql} = lagInFrame(${sql}) OVER w`).join(" AND ");
  return `SELECT ${names.map((sql) => `toString(${sql})`).join(", ")}
    FROM (SELECT ${names.join(", ")}, count() OVER w = 2 AND ${same} AS arrowbook_repeated FROM ${from}
      WINDOW w AS (ORDER BY ${names.join(", ")} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW))
    WHERE arrowbook_repeated LIMIT 1`;
}

const hasTtl = ({ definition }: Described): boolean => /\bTTL\b/.test(definition);

/** What system.tables says about the table itself: which one it is, and the most rows that it has. */
const IDENTITY = "hex(SHA256(concat(toString(uuid), create_table_query))) AS identity, ifNull(total_rows, 0) AS most";

async function versionState(
  engine: StatementRunner,
  table: Described,
  { column, seek }: FoundBy,
): Promise<ForeignState | undefined> {
  const found = await engine.query(`SELECT ${IDENTITY} FROM system.tables WHERE ${table.where("name")}`);
  if (found.numRows === 0) return undefined;
  const [[identity, rows]] = tableTexts(found);
  const [[latest]] = tableTexts(await engine.query(`SELECT ${seek.text(`max(${column.sql})`)} FROM ${table.sql}`));
  return {
    identity: `${identity}`,
    version: `${latest}`,
    rows: Number(rows),
    changedAt: seek.isTime ? Math.floor(Number(latest)) : undefined,
  };
}

/**
 * The state of the rows by the parts that hold them. Inserts, mutations and dropped partitions change it; merges, which
 * change no row that is read, do not. Where a merge may remove rows (TTL), every merge changes it. A single part
 * dropped out of the middle of a ReplacingMergeTree is not noticed: a merge may skip the same block numbers.
 */
async function partsState(engine: StatementRunner, table: Described): Promise<ForeignState | undefined> {
  const parts = `FROM system.parts WHERE ${table.where("table")} AND active AND rows > 0`;
  // A merge of replaced rows has fewer of them.
  const count = REPLACING.test(table.engine) ? "0" : "sum(rows)";
  const listed = hasTtl(table)
    ? `SELECT name AS part, modification_time AS changed ${parts} ORDER BY name`
    : `SELECT (partition_id, min(first), max(last), max(mutation), ${count},
        sumIf(rows, first < latest AND mutation < latest)) AS part, max(modification_time) AS changed
      FROM (SELECT partition_id, rows, modification_time, min_block_number AS first, max_block_number AS last,
        toUInt64OrZero(extract(name, '_[0-9]+_[0-9]+_[0-9]+_([0-9]+)$')) AS mutation,
        max(mutation) OVER (PARTITION BY partition_id) AS latest ${parts})
      GROUP BY partition_id ORDER BY partition_id`;
  const state = `SELECT hex(SHA256(toString(groupArray(part)))) AS version, toInt64(toUnixTimestamp(max(changed))) AS at FROM (${listed})`;
  const sql = `SELECT identity, most, version, at
    FROM (SELECT ${IDENTITY} FROM system.tables WHERE ${table.where("name")}) AS t CROSS JOIN (${state}) AS p`;
  const found = await engine.query(sql).catch((error: unknown) => {
    if (!hasCode(error, "EngineAccess")) throw error;
    throw new InputError(`The states of ${table.shown} cannot be distinguished: ${(error as Error).message}`, {
      code: "NotServable",
      cause: error,
      hint: "GRANT SELECT ON system.parts TO the user, or pass a version column.",
    });
  });
  if (found.numRows === 0) return undefined;
  const [[identity, rows, version, at]] = tableTexts(found);
  return { identity: `${identity}`, version: `${version}`, rows: Number(rows), changedAt: Number(at) || undefined };
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { suggestion } from "../../errors/nearest.js";
import { type ColumnSpec, parseType, TYPE_TITLES } from "../../spec/columns.js";
import type { Catalog, DatabaseEntry, DatasetEntry, TableEntry, TableStatus } from "./catalog.js";

export const CATALOG_FILE = "catalog.json";

/**
 * Reads and validates `catalog.json` of a data folder.
 *
 * @throws {FileError} FileNotFound, AccessDenied if it cannot be read
 * @throws {InputError} BadCatalog with the invalid member
 */
export function readCatalog(folder: string): Catalog {
  const path = join(folder, CATALOG_FILE);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw fileError(path, "read", cause, {
      what: "catalogue",
      hint: `Pass a folder with a ${CATALOG_FILE} (docs/server.md, The catalogue).`,
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badCatalog(path, "", `is not JSON: ${(cause as Error).message}`);
  }
  return catalogOf(new Member(path, "", value));
}

function catalogOf(root: Member): Catalog {
  const member = root.object(["$schema", "databases", "tables"]);
  const databases = member("databases").listOrNone().map(databaseOf);
  const tables = member("tables").listOrNone().map(tableOf);
  distinct(member("databases"), databases, (database) => database.database_code);
  distinct(member("tables"), tables, (table) => `${table.vendor_code}/${table.datatable_code}`);
  return { databases, tables };
}

function distinct<T>(member: Member, items: readonly T[], code: (item: T) => string): void {
  const seen = new Set<string>();
  for (const item of items) {
    if (seen.has(code(item))) throw member.wrong(`holds ${JSON.stringify(code(item))} twice.`);
    seen.add(code(item));
  }
}

const DATABASE = ["id", "database_code", "name", "description", "premium", "downloads", "image", "datasets"];
const DATASET = ["id", "dataset_code", "name", "description", "frequency", "type", "refreshed_at", "columns", "file"];
const TABLE = ["vendor_code", "datatable_code", "name", "description", "columns", "filters", "primary_key", "premium"];
const STATUS = ["refreshed_at", "status", "expected_at", "update_frequency"];

function databaseOf(entry: Member, i: number): DatabaseEntry {
  const member = entry.object(DATABASE);
  const datasets = member("datasets").list().map(datasetOf);
  distinct(member("datasets"), datasets, (dataset) => dataset.dataset_code);
  return {
    id: member("id").count(i + 1),
    database_code: member("database_code").code(),
    name: member("name").text(),
    description: member("description").textOrNull(),
    premium: member("premium").flag(),
    downloads: member("downloads").count(0),
    image: member("image").textOrNull(),
    datasets,
  };
}

function datasetOf(entry: Member, i: number): DatasetEntry {
  const member = entry.object(DATASET);
  const columns = member("columns")
    .list()
    .map((column) => column.text());
  if (columns.length < 2) throw member("columns").wrong("must name the date column and at least one more.");
  distinct(member("columns"), columns, (column) => column);
  return {
    id: member("id").count(i + 1),
    dataset_code: member("dataset_code").code(),
    name: member("name").text(),
    description: member("description").textOrNull(),
    frequency: member("frequency").text(),
    type: member("type").textOrNull() ?? "Time Series",
    refreshed_at: member("refreshed_at").moment(),
    columns,
    file: member("file").file(),
  };
}

function tableOf(entry: Member): TableEntry {
  const member = entry.object([...TABLE, "status", "file"]);
  const columns = member("columns").list().map(columnOf);
  if (columns.length === 0) throw member("columns").wrong("must name at least one column.");
  distinct(member("columns"), columns, (column) => column.name);
  return {
    vendor_code: member("vendor_code").code(),
    datatable_code: member("datatable_code").code(),
    name: member("name").text(),
    description: member("description").textOrNull(),
    columns,
    filters: columnNames(member("filters"), columns, true),
    primary_key: columnNames(member("primary_key"), columns, false),
    premium: member("premium").flag(),
    status: statusOf(member("status")),
    file: member("file").file(),
  };
}

function columnOf(entry: Member): ColumnSpec {
  const member = entry.object(["name", "type"]);
  const type = member("type").text();
  if (parseType(type).kind === "unknown") {
    const known = `${TYPE_TITLES.slice(0, -1).join(", ")} and ${TYPE_TITLES.at(-1)}`;
    throw member("type").wrong(`is ${JSON.stringify(type)}; the types are ${known}.`);
  }
  return { name: member("name").text(), type };
}

/** The engine's decimals have at most 38 digits; wider columns are text there, which does not compare numerically. */
const WIDEST_FILTER = 38;

function columnNames(list: Member, columns: readonly ColumnSpec[], filters: boolean): string[] {
  const names = columns.map((column) => column.name);
  return list.listOrNone().map((member) => {
    const name = member.text();
    const column = columns.find((each) => each.name === name);
    if (column === undefined) throw member.wrong(`is not a column. ${suggestion(name, names, "columns")}`);
    if (filters && (parseType(column.type).precision ?? 0) > WIDEST_FILTER) {
      throw member.wrong(`is ${column.type}; a column of more than ${WIDEST_FILTER} digits cannot be a filter.`);
    }
    return name;
  });
}

function statusOf(entry: Member): TableStatus {
  if (entry.value === undefined) return { status: null, expected_at: null, update_frequency: null };
  const member = entry.object(STATUS);
  return {
    refreshed_at: member("refreshed_at").moment(),
    status: member("status").textOrNull(),
    expected_at: member("expected_at").textOrNull(),
    update_frequency: member("update_frequency").textOrNull(),
  };
}

function badCatalog(path: string, member: string, what: string): InputError {
  return new InputError(`${path}: ${member === "" ? "the catalogue" : member} ${what}`, {
    code: "BadCatalog",
    hint: "docs/server.md shows every member of a catalogue.",
  });
}

/** A value of a catalogue file with its path, for error messages. */
class Member {
  constructor(
    readonly path: string,
    readonly name: string,
    readonly value: unknown,
  ) {}

  wrong(what: string): InputError {
    return badCatalog(this.path, this.name, what);
  }

  /** The members of an object; unknown ones are errors. */
  object(known: readonly string[]): (name: string) => Member {
    const { value } = this;
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw this.wrong("must be an object.");
    const member = (name: string): Member => {
      const inner = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
      return new Member(this.path, this.name === "" ? name : `${this.name}.${name}`, inner);
    };
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) throw member(name).wrong(`is not a member. ${suggestion(name, known, "members")}`);
    }
    return member;
  }

  list(): Member[] {
    if (!Array.isArray(this.value)) throw this.wrong("must be a list.");
    return this.value.map((value, i) => new Member(this.path, `${this.name}[${i}]`, value));
  }

  listOrNone(): Member[] {
    return this.value === undefined ? [] : this.list();
  }

  text(): string {
    if (typeof this.value !== "string" || this.value === "") throw this.wrong("must be a non-empty string.");
    return this.value;
  }

  textOrNull(): string | null {
    return this.value === undefined || this.value === null ? null : this.text();
  }

  code(): string {
    const code = this.text();
    if (!/^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(code)) {
      throw this.wrong("must be a code: letters, digits, _, - or . only, not starting with a dot.");
    }
    return code;
  }

  flag(): boolean {
    if (this.value === undefined) return false;
    if (typeof this.value !== "boolean") throw this.wrong("must be true or false.");
    return this.value;
  }

  count(otherwise: number): number {
    if (this.value === undefined) return otherwise;
    if (!Number.isSafeInteger(this.value) || (this.value as number) < 0) throw this.wrong("must be a whole number.");
    return this.value as number;
  }

  moment(): string | undefined {
    if (this.value === undefined) return undefined;
    const text = this.text();
    if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/.test(text) || Number.isNaN(Date.parse(text))) {
      throw this.wrong("must be a timestamp such as 2025-01-02T06:00:00Z.");
    }
    return text;
  }

  file(): string {
    const name = this.text();
    if (!/\.(csv|parquet)$/i.test(name)) throw this.wrong("must end in .csv or .parquet.");
    if (/^([/\\]|[A-Za-z]:)|(^|[/\\])\.\.([/\\]|$)/.test(name)) throw this.wrong("must be inside the data folder.");
    return name;
  }
}

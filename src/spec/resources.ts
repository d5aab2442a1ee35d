import type { Format } from "./vocabulary.js";

/**
 * Every resource of spec section 2 as data: members, types, nulls, and differences between formats. `document/` reads
 * and writes resources by these tables.
 */

/**
 * A member with a single value. `dateTime` is written as ISO 8601 in XML and, if `csvJson` is `utc`, as `YYYY-MM-DD
 * hh:mm:ss UTC` elsewhere.
 */
export interface ScalarField {
  readonly kind: "string" | "integer" | "float" | "boolean" | "date" | "dateTime";
  readonly nullable?: true;
  /** Optional in these formats: readers accept its absence, writers omit it. */
  readonly absentIn?: readonly Format[];
  /** The element name in XML if it is not the member name with hyphens. Readers accept the hyphenated name too. */
  readonly xml?: string;
  /** How JSON spells a timestamp: ISO 8601 (default) or `YYYY-MM-DD hh:mm:ss UTC` (spec 2.8). */
  readonly json?: "utc";
}

/** A list of strings; in XML each item has an element name of its own, in CSV the list is one text cell. */
interface TextListField {
  readonly kind: "texts";
  readonly item: string;
  readonly xml?: string;
  readonly nullable?: true;
  readonly absentIn?: readonly Format[];
}

/** A list of `{ name, type }` (spec 2.6, 2.7). */
interface ColumnListField {
  readonly kind: "columns";
  readonly absentIn?: readonly Format[];
}

/** The rows: an array of arrays (spec 2.1, 2.6), kept as bytes or text cells for the column types to read. */
interface RowsField {
  readonly kind: "rows";
}

/**
 * A nested object. In CSV its members have bare names (`flat`), dotted names (`dotted`, spec 2.8) or share one text
 * cell (`cell`, spec 2.7). Records (`document/records`) omit the level of a `flat` object too: it only names the kind
 * of reply.
 */
export interface ObjectField {
  readonly kind: "object";
  readonly fields: Fields;
  readonly csv: "dotted" | "cell" | "flat";
}

export type Field = ScalarField | TextListField | ColumnListField | RowsField | ObjectField;
export type Fields = Readonly<Record<string, Field>>;

/** A complete reply: its root members in JSON, or the elements inside the XML root. */
export interface Resource {
  /** Section of the specification. */
  readonly section: string;
  readonly fields: Fields;
}

const text = { kind: "string" } as const satisfies ScalarField;
const textOrNull = { kind: "string", nullable: true } as const satisfies ScalarField;
const integer = { kind: "integer" } as const satisfies ScalarField;
const integerOrNull = { kind: "integer", nullable: true } as const satisfies ScalarField;
/** The specification shows dates only; a series without rows has none. */
const dateOrNull = { kind: "date", nullable: true } as const satisfies ScalarField;
const flag = { kind: "boolean" } as const satisfies ScalarField;
const columnNames = { kind: "texts", item: "column-name" } as const satisfies TextListField;

/** Spec 2.1. */
const datasetDataFields = {
  limit: integerOrNull,
  transform: textOrNull,
  column_index: integerOrNull,
  column_names: columnNames,
  start_date: dateOrNull,
  end_date: dateOrNull,
  frequency: text,
  data: { kind: "rows" },
  collapse: textOrNull,
  /** The specification shows a string; services of this kind leave it null unless it was requested. */
  order: textOrNull,
} as const satisfies Fields;

/** Spec 2.2. `database_id` is in XML only (spec 2.2: "present in the XML metadata"). */
const datasetFields = {
  id: integer,
  dataset_code: text,
  database_code: text,
  name: text,
  description: textOrNull,
  refreshed_at: { kind: "dateTime", nullable: true },
  newest_available_date: dateOrNull,
  oldest_available_date: dateOrNull,
  column_names: columnNames,
  frequency: text,
  type: text,
  premium: flag,
} as const satisfies Fields;

const object =
  <const Csv extends ObjectField["csv"]>(csv: Csv) =>
  <const Members extends Fields>(fields: Members) =>
    ({ kind: "object", csv, fields }) as const;
const flat = object("flat");
const dotted = object("dotted");

/** The rows of a dataset beside its metadata, which have the other members. */
const { column_names, frequency, ...rowFields } = datasetDataFields;

export const resources = {
  datasetData: { section: "2.1", fields: { dataset_data: flat(datasetDataFields) } },
  datasetMetadata: {
    section: "2.2",
    fields: { dataset: flat({ ...datasetFields, database_id: { kind: "integer", absentIn: ["json", "csv"] } }) },
  },
  dataset: { section: "2.3", fields: { dataset: flat({ ...datasetFields, ...rowFields, database_id: integer }) } },
  databaseMetadata: {
    section: "2.4",
    fields: {
      database: flat({
        id: integer,
        name: text,
        database_code: text,
        description: textOrNull,
        datasets_count: { kind: "integer", xml: "datasets_count" },
        downloads: integer,
        premium: flag,
        image: textOrNull,
      }),
    },
  },
  tableRows: {
    section: "2.6",
    fields: {
      datatable: flat({ data: { kind: "rows" }, columns: { kind: "columns" } }),
      // In CSV the cursor is in a header beside the reply. A reply without the header is not necessarily the last page.
      meta: flat({ next_cursor_id: { kind: "string", nullable: true, absentIn: ["csv"] } }),
    },
  },
  tableMetadata: {
    section: "2.7",
    fields: {
      datatable: flat({
        vendor_code: text,
        datatable_code: text,
        name: text,
        description: textOrNull,
        columns: { kind: "columns" },
        filters: { kind: "texts", item: "filter" },
        primary_key: { kind: "texts", item: "primary-key", xml: "primary-key" },
        premium: flag,
        status: object("cell")({
          refreshed_at: { kind: "dateTime", nullable: true },
          status: textOrNull,
          expected_at: textOrNull,
          update_frequency: textOrNull,
        }),
      }),
    },
  },
  tableExport: {
    section: "2.8",
    fields: {
      datatable_bulk_download: flat({
        file: dotted({
          link: textOrNull,
          status: text,
          data_snapshot_time: { kind: "dateTime", nullable: true, json: "utc" },
        }),
        datatable: dotted({ last_refreshed_time: { kind: "dateTime", nullable: true, json: "utc" } }),
      }),
    },
  },
} as const satisfies Record<string, Resource>;

export type ResourceName = keyof typeof resources;

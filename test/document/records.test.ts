import { expectTypeOf, it } from "vitest";
import type { Document } from "../../src/document/document.js";
import type {
  DatabaseMetadata,
  DatasetData,
  DatasetMetadata,
  DatasetWithData,
  ExportStatus,
  TableMetadata,
  TableRows,
} from "../../src/document/records.js";
import type { ColumnSpec } from "../../src/spec/columns.js";

it("records have exactly the members of spec section 2", () => {
  expectTypeOf<DatasetData>().toEqualTypeOf<{
    readonly limit: number | null;
    readonly transform: string | null;
    readonly column_index: number | null;
    readonly column_names: readonly string[];
    readonly start_date: string | null;
    readonly end_date: string | null;
    readonly frequency: string;
    readonly collapse: string | null;
    readonly order: string | null;
  }>();
  expectTypeOf<DatasetMetadata>().toEqualTypeOf<{
    readonly id: number;
    readonly dataset_code: string;
    readonly database_code: string;
    readonly name: string;
    readonly description: string | null;
    readonly refreshed_at: string | null;
    readonly newest_available_date: string | null;
    readonly oldest_available_date: string | null;
    readonly column_names: readonly string[];
    readonly frequency: string;
    readonly type: string;
    readonly premium: boolean;
    readonly database_id?: number;
  }>();
  expectTypeOf<DatasetWithData["database_id"]>().toEqualTypeOf<number>();
  expectTypeOf<DatasetWithData["column_index"]>().toEqualTypeOf<number | null>();
  expectTypeOf<DatabaseMetadata>().toEqualTypeOf<{
    readonly id: number;
    readonly name: string;
    readonly database_code: string;
    readonly description: string | null;
    readonly datasets_count: number;
    readonly downloads: number;
    readonly premium: boolean;
    readonly image: string | null;
  }>();
  expectTypeOf<TableRows>().toEqualTypeOf<{
    readonly columns: readonly ColumnSpec[];
    readonly next_cursor_id?: string | null;
  }>();
  expectTypeOf<TableMetadata>().toEqualTypeOf<{
    readonly vendor_code: string;
    readonly datatable_code: string;
    readonly name: string;
    readonly description: string | null;
    readonly columns: readonly ColumnSpec[];
    readonly filters: readonly string[];
    readonly primary_key: readonly string[];
    readonly premium: boolean;
    readonly status: {
      readonly refreshed_at: string | null;
      readonly status: string | null;
      readonly expected_at: string | null;
      readonly update_frequency: string | null;
    };
  }>();
  expectTypeOf<ExportStatus>().toEqualTypeOf<{
    readonly file: {
      readonly link: string | null;
      readonly status: string;
      readonly data_snapshot_time: string | null;
    };
    readonly datatable: { readonly last_refreshed_time: string | null };
  }>();
});

it("a reply with rows may lack its members in CSV, metadata may not", () => {
  expectTypeOf<Document<"tableRows">["fields"]["columns"]>().toEqualTypeOf<readonly ColumnSpec[] | undefined>();
  expectTypeOf<Document<"tableMetadata">["fields"]["columns"]>().toEqualTypeOf<readonly ColumnSpec[]>();
});

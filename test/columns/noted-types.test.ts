import {
  type DataType,
  DateDay,
  Decimal,
  Field,
  Float64,
  Int64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  TimestampMicrosecond,
  tableToIPC,
  Utf8,
} from "apache-arrow";
import { expect, it } from "vitest";
import { frameOfIPC } from "../frame-of-ipc.js";

/** A column without rows whose field notes a service type, read from the bytes of an Arrow file. */
function typeOf(type: DataType, noted: string): string {
  const field = new Field("x", type, true, new Map([["arrowbook.type", noted]]));
  const data = makeData({ type: new Struct([field]), length: 0, nullCount: 0, children: [] });
  const table = new Table(new Schema([field]), [new RecordBatch(new Schema([field]), data)]);
  return frameOfIPC(tableToIPC(table, "file")).columns[0].type;
}

it.each<[DataType, string, string]>([
  [new Int64(), "BigDecimal(15,4)", "Integer"],
  [new Int64(), "Date", "Integer"],
  [new Utf8(), "BigDecimal(15,4)", "String"],
  [new Utf8(), "Integer", "String"],
  [new DateDay(), "DateTime", "Date"],
  [new Float64(), "Integer", "double"],
  [new Float64(), "BigDecimal(15,4)", "double"],
  [new Int64(), "BigDecimal(20,0)", "Integer"],
  [new Decimal(2, 9, 128), "BigDecimal(15,4)", "BigDecimal(9,2)"],
  [new TimestampMicrosecond("UTC"), "Text", "DateTime"],
])("%s that notes %s is %s: the type decides", (type, noted, found) => {
  expect(typeOf(type, noted)).toBe(found);
});

it.each<[DataType, string]>([
  [new Utf8(), "Text"],
  [new Utf8(), "Country"],
  [new Utf8(), "BigDecimal(50,4)"],
  [new Decimal(4, 15, 128), "BigDecimal(15,4)"],
  [new Decimal(4, 15, 128), "bigdecimal(15, 4)"],
  [new Decimal(18, 38, 128), "decimal"],
  [new Int64(), "BigInt"],
  [new TimestampMicrosecond(null), "DateTime"],
])("%s that notes %s keeps it: the note refines the type", (type, noted) => {
  expect(typeOf(type, noted)).toBe(noted);
});

import { type Data, DataType, type RecordBatch, type Schema } from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { distinctNames } from "../arrow/column-names.js";

/**
 * Formats the rows of a batch as JSON lines, each ending in a line feed. Integers and decimals are numbers of all their
 * digits; text, dates and timestamps strings; lists and structs JSON; null, NaN and infinities `null`. A repeated name
 * gets `_2`.
 */
export function* jsonLines(batch: RecordBatch): Generator<string> {
  const keys = memberNames(batch.schema);
  const cells = batch.data.children.map(cellJson);
  for (let row = 0; row < batch.numRows; row++) {
    let line = "{";
    for (let k = 0; k < keys.length; k++) line += keys[k] + cells[k](row);
    yield `${line}}\n`;
  }
}

/** What precedes each value of a line: a comma, but for the first, and the name. */
const memberNames = (schema: Schema): string[] =>
  distinctNames(schema.fields.map(({ name }) => name)).map((name, k) => `${k > 0 ? "," : ""}${JSON.stringify(name)}:`);

function cellJson(data: Data): (row: number) => string {
  const { valid, value, text } = chunkReader(data);
  const type = (DataType.isDictionary(data.type) ? data.type.dictionary : data.type) as DataType;
  const isBare = DataType.isInt(type) || DataType.isDecimal(type) || DataType.isBool(type) || isNested(type);
  if (isBare) return (row) => (valid(row) ? text(row) : "null");
  if (DataType.isFloat(type)) return (row) => (valid(row) ? numberJson(value(row) as number) : "null");
  return (row) => (valid(row) ? JSON.stringify(text(row)) : "null");
}

/** A number as JavaScript spells it, but for the sign of a zero; null for NaN and infinities. */
const numberJson = (number: number): string => (Object.is(number, -0) ? "-0" : JSON.stringify(number));

const isNested = (type: DataType): boolean =>
  DataType.isList(type) || DataType.isFixedSizeList(type) || DataType.isStruct(type) || DataType.isMap(type);

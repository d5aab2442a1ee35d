import type { CellColumn } from "../../document/cells/cell-batch.js";
import { rowBlocks } from "../../document/cells/row-bytes.js";
import type { CellStyle, RowStyle } from "../../document/cells/row-style.js";
import { utf8Bytes } from "../../platform/node/bytes.js";
import { type Data, DataType, type RecordBatch, type Schema } from "../arrow/arrow.js";
import { cellColumn } from "../arrow/cell-batch.js";
import { chunkReader } from "../arrow/cell-reader.js";
import { distinctNames } from "../arrow/column-names.js";

/**
 * Rows as JSON lines, each ending in a line feed. Integers and decimals are numbers of all their digits; text, dates
 * and timestamps strings; lists and structs JSON; null, NaN and infinities `null`. A repeated name gets `_2`. A block
 * is valid until the next one is requested.
 */
export function jsonLines(schema: Schema, batches: Iterable<RecordBatch>): Generator<Uint8Array> {
  return rowBlocks({ ...objects(schema), close: "}\n", betweenRows: "" }, cellsOf(batches));
}

/** Rows as one JSON array of objects as {@link jsonLines} has them, with a line feed at its end. */
export function* jsonArray(schema: Schema, batches: Iterable<RecordBatch>): Generator<Uint8Array> {
  yield utf8Bytes("[");
  yield* rowBlocks({ ...objects(schema), close: "}", betweenRows: "," }, cellsOf(batches));
  yield utf8Bytes("]\n");
}

function objects({ fields }: Schema): Pick<RowStyle, "open" | "betweenCells" | "cells"> {
  const names = distinctNames(fields.map(({ name }) => name));
  const cells = fields.map(({ type }, i): CellStyle => {
    const name = `${JSON.stringify(names[i])}:`;
    const { quote, ...style } = valueStyle(DataType.isDictionary(type) ? type.dictionary : type);
    return { ...style, open: name + quote, close: quote, nothing: `${name}null`, wholeEnd: "" };
  });
  return { open: "{", betweenCells: ",", cells };
}

function valueStyle(type: DataType): Pick<CellStyle, "spell" | "takes"> & { readonly quote: string } {
  const isBare = DataType.isInt(type) || DataType.isDecimal(type) || DataType.isBool(type) || isNested(type);
  if (isBare) return { quote: "", spell: (text) => text, takes: (kind) => kind !== "other" };
  // As JavaScript spells numbers: whole ones without a point.
  if (DataType.isFloat(type)) return { quote: "", spell: numberText, takes: () => false };
  return { quote: '"', spell: (text) => JSON.stringify(text).slice(1, -1), takes: () => true };
}

function numberText(text: string): string | null {
  if (text.endsWith(".0")) return text.slice(0, -2);
  return text.endsWith("N") || text.endsWith("y") ? null : text;
}

const isNested = (type: DataType): boolean =>
  DataType.isList(type) || DataType.isFixedSizeList(type) || DataType.isStruct(type) || DataType.isMap(type);

function* cellsOf(batches: Iterable<RecordBatch>) {
  for (const { data, numRows } of batches) yield { rows: numRows, columns: data.children.map(column) };
}

/** The cells of a column; timestamps without a zone are written without one. */
function column(data: Data): CellColumn {
  const { type } = data;
  if (!DataType.isTimestamp(type) || type.timezone) return cellColumn(data);
  const { valid, text } = chunkReader(data);
  return { valid, text };
}

import { DataError } from "../../errors/errors.js";
import {
  type Data,
  type DataType,
  type FixedSizeList,
  Type,
  type Union,
  UnionMode,
  type Vector,
} from "../arrow/arrow.js";
import { validity } from "../arrow/cell-reader.js";
import {
  badIndex,
  badOffset,
  badUnionRow,
  badView,
  type Indices,
  type Offsets,
  VIEW_BYTES,
} from "../arrow/data-faults.js";
import { isOwnDictionary } from "../build/batch-maker.js";

/**
 * Rejects a column whose values point outside its buffers, at any depth: offsets, dictionary indices, views and unions.
 * Dictionaries that this package made are known to be valid.
 *
 * @throws {DataError} BadDictionaryIndex, BadArrow
 */
export function checkForeign(data: Data, column: string): void {
  if (data.length === 0) return;
  for (const child of data.children) checkForeign(child, column);
  switch ((data.type as DataType).typeId) {
    case Type.Utf8:
    case Type.Binary:
    case Type.LargeUtf8:
    case Type.LargeBinary:
      checkOffsets(data, (data.values as Uint8Array | undefined)?.length ?? 0, column);
      break;
    case Type.List:
    case Type.LargeList:
    case Type.Map:
      checkOffsets(data, data.children[0]?.length ?? 0, column);
      break;
    case Type.FixedSizeList:
      checkFixedLists(data, column);
      break;
    case Type.Utf8View:
    case Type.BinaryView:
      checkViews(data, column);
      break;
    case Type.Union:
      checkUnion(data, column);
      break;
    case Type.Dictionary:
      checkIndices(data, column);
      break;
    default:
      break;
  }
}

function fault(
  column: string,
  row: number,
  what: string,
  code: "BadArrow" | "BadDictionaryIndex" = "BadArrow",
): DataError {
  const message = `Column ${JSON.stringify(column)}: ${what}.`;
  return new DataError(message, { code, column, row, hint: "The table is corrupt; write it again." });
}

/** The Arrow library pads columns with nulls that have no offsets. */
function checkOffsets(data: Data, limit: number, column: string): void {
  const all = data.valueOffsets as Offsets | undefined;
  const offsets = (all ?? new Int32Array(0)).subarray(0, data.length + 1) as Offsets;
  const valid = validity(data);
  for (let row = Math.max(0, offsets.length - 1); row < data.length; row++) {
    if (valid(row)) throw fault(column, row, `row ${row} has no offset`);
  }
  const row = badOffset(offsets, limit);
  if (row >= 0) throw fault(column, row, `row ${row} points outside the ${limit} bytes or items of the column`);
}

function checkFixedLists(data: Data, column: string): void {
  const items = data.children[0]?.length ?? 0;
  const needed = data.length * (data.type as FixedSizeList).listSize;
  if (items >= needed || data.nullCount === data.length) return;
  throw fault(column, 0, `${data.length} rows have ${items} items, not ${needed}`);
}

function checkViews(data: Data, column: string): void {
  const views = data.values as Uint8Array;
  const rows = Math.min(data.length, Math.floor(views.length / VIEW_BYTES));
  const row = badView(views, rows, data.variadicBuffers as Uint8Array[], validity(data));
  if (row >= 0) throw fault(column, row, `the view of row ${row} points outside its buffers`);
}

function checkUnion(data: Data, column: string): void {
  const { mode, typeIds } = data.type as Union;
  const lengths = new Map(data.children.map((child, i) => [typeIds[i], child.length] as const));
  const offsets = mode === UnionMode.Dense ? (data.valueOffsets as Int32Array) : undefined;
  const row = badUnionRow(data.typeIds as Int8Array, offsets, data.length, lengths);
  if (row >= 0) throw fault(column, row, `the value of row ${row} is outside every child`);
}

function checkIndices(data: Data, column: string): void {
  const dictionary = data.dictionary as Vector | undefined;
  if (dictionary !== undefined && isOwnDictionary(dictionary)) return;
  const size = dictionary?.length ?? 0;
  const indices = data.values as Indices;
  const row = badIndex(indices, data.length, size, validity(data));
  if (row >= 0) {
    const what = `dictionary index ${indices[row]} is outside the dictionary of ${size} values`;
    throw fault(column, row, what, "BadDictionaryIndex");
  }
  for (const chunk of dictionary?.data ?? []) checkForeign(chunk as Data, column);
}

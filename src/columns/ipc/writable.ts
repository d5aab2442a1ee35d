import { type Data, DataType, type Field, Vector } from "../arrow/arrow.js";
import { takeVector } from "../table/take.js";

/**
 * Prepares a column for the Arrow library's writer, which writes some slices wrong: it applies the offset of views
 * twice, and takes the row count of a dense union for the length of its children. Such slices, and columns that contain
 * them, are copied.
 */
export function writable(data: Data): Data {
  if (isWhole(data)) return data;
  const rows = Uint32Array.from({ length: data.length }, (_, i) => i);
  return takeVector(new Vector([data]), rows).data[0] as Data;
}

/** Whether the library writes the column correctly as it is. */
function isWhole(data: Data): boolean {
  if (!holdsFragile(data.type)) return true;
  return isFragile(data.type) && data.offset === 0 && data.children.every(isWhole);
}

const isFragile = (type: DataType): boolean =>
  DataType.isUtf8View(type) || DataType.isBinaryView(type) || DataType.isDenseUnion(type);

function holdsFragile(type: DataType): boolean {
  return isFragile(type) || (type.children ?? []).some((child: Field) => holdsFragile(child.type));
}

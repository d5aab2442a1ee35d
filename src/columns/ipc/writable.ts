import { type Data, DataType, type Field, Vector } from "../arrow/arrow.js";
import { takeVector } from "../table/take.js";

/**
 * The same column for the Arrow library's writer, which does not write every slice right: it moves views by their
 * offset twice, and counts the rows of a dense union to find how much of its children they lead to. Such slices, and
 * whatever holds one of these types inside, are copied.
 */
export function writable(data: Data): Data {
  if (isWhole(data)) return data;
  const rows = Uint32Array.from({ length: data.length }, (_, i) => i);
  return takeVector(new Vector([data]), rows).data[0] as Data;
}

/** Whether the library writes a column right as it is. */
function isWhole(data: Data): boolean {
  if (!holdsFragile(data.type)) return true;
  return isFragile(data.type) && data.offset === 0 && data.children.every(isWhole);
}

const isFragile = (type: DataType): boolean =>
  DataType.isUtf8View(type) || DataType.isBinaryView(type) || DataType.isDenseUnion(type);

function holdsFragile(type: DataType): boolean {
  return isFragile(type) || (type.children ?? []).some((child: Field) => holdsFragile(child.type));
}

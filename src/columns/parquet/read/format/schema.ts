import { ParquetFault } from "./fault.js";
import { bytesOf, integerOf, structOf, type ThriftStruct } from "./thrift.js";
import {
  type Leaf,
  type Meaning,
  PHYSICAL_TYPES,
  type PhysicalType,
  type Repetition,
  type SchemaNode,
  type TimeUnit,
} from "./types.js";

const REPETITIONS: readonly Repetition[] = ["required", "optional", "repeated"];
/** Groups inside one another: no table needs more. */
const MOST_LEVELS = 64;

/** Bits of the integers of converted types 11 (UINT_8) to 18 (INT_64). */
const INTEGER_BITS = [8, 16, 32, 64];

/**
 * The tree of a file's schema from its list of elements, root first, each group followed by its children.
 *
 * @throws {ParquetFault} where they are not a tree, or an element is not sound
 */
export function schemaTree(elements: readonly ThriftStruct[]): {
  readonly columns: readonly SchemaNode[];
  readonly leaves: readonly Leaf[];
} {
  const leaves: Leaf[] = [];
  let next = 0;
  const node = (above: {
    readonly path: readonly string[];
    readonly definition: number;
    readonly repeats: number;
  }): SchemaNode => {
    const element = elements[next++];
    if (element === undefined) throw new ParquetFault("the schema has fewer elements than it says");
    if (above.path.length > MOST_LEVELS) throw new ParquetFault("the schema is nested too deeply");
    const name = Buffer.from(bytesOf(element, 4) ?? []).toString();
    const repetition = REPETITIONS[integerOf(element, 3, 0)];
    if (repetition === undefined) throw new ParquetFault("an element of the schema is damaged");
    const path = [...above.path, name];
    const definition = above.definition + (repetition === "required" ? 0 : 1);
    const repeats = above.repeats + (repetition === "repeated" ? 1 : 0);
    const count = integerOf(element, 5, 0);
    if (element.fields.get(1) === undefined) {
      const children = childrenOf(count, () => node({ path, definition, repeats }));
      return { name, repetition, definition, repeats, children, group: groupOf(element) };
    }
    const leaf = leafOf(element, leaves.length, path, definition, repeats);
    leaves.push(leaf);
    return { name, repetition, definition, repeats, children: [], leaf };
  };
  const [root] = elements;
  if (root === undefined) throw new ParquetFault("it has no schema");
  next = 1;
  const columns = childrenOf(integerOf(root, 5, 0), () => node({ path: [], definition: 0, repeats: 0 }));
  if (next !== elements.length) throw new ParquetFault("the schema has more elements than it says");
  return { columns, leaves };
}

function childrenOf(count: number, child: () => SchemaNode): SchemaNode[] {
  const children: SchemaNode[] = [];
  // Each call uses an element up, so that a count too large ends at the last.
  for (let i = 0; i < count; i++) children.push(child());
  return children;
}

function groupOf(element: ThriftStruct): "list" | "map" | "struct" {
  const logical = structOf(element, 10)?.fields;
  const converted = integerOf(element, 6, undefined);
  if (logical?.has(3) || converted === 3) return "list";
  return logical?.has(2) || converted === 1 || converted === 2 ? "map" : "struct";
}

function leafOf(
  element: ThriftStruct,
  index: number,
  path: readonly string[],
  maxDefinition: number,
  maxRepetition: number,
): Leaf {
  const type = PHYSICAL_TYPES[integerOf(element, 1, -1)];
  const width = integerOf(element, 2, 0);
  if (type === undefined || width < 0)
    throw new ParquetFault(`the type of column ${JSON.stringify(path.join("."))} is damaged`);
  return { index, path, type, width, meaning: meaningOf(element, type, width), maxDefinition, maxRepetition };
}

/** What the logical type says, else the older converted type, else the physical type. */
function meaningOf(element: ThriftStruct, type: PhysicalType, width: number): Meaning {
  const meaning = annotated(element);
  return meaning !== undefined && fits(meaning, type, width) ? meaning : bare(type);
}

function annotated(element: ThriftStruct): Meaning | undefined {
  const logical = structOf(element, 10);
  const [id] = logical?.fields.keys() ?? [];
  const inner = logical && structOf(logical, id);
  if (inner !== undefined) {
    switch (id) {
      case 1:
      case 4:
      case 12:
        return { kind: "text" };
      case 5:
        return decimal(integerOf(inner, 2, 0), integerOf(inner, 1, 0));
      case 6:
        return { kind: "date" };
      case 7:
      case 8:
        return { kind: id === 7 ? "time" : "timestamp", unit: unitOf(inner), utc: inner.fields.get(1) === true };
      case 10:
        return { kind: "integer", bits: integerOf(inner, 1, 0), signed: inner.fields.get(2) !== false };
      case 11:
        return { kind: "null" };
      case 14:
        return { kind: "uuid" };
      case 15:
        return { kind: "float16" };
      default:
        return undefined;
    }
  }
  const converted = integerOf(element, 6, -1);
  switch (converted) {
    case 0:
    case 4:
    case 19:
      return { kind: "text" };
    case 5:
      return decimal(integerOf(element, 8, 0), integerOf(element, 7, 0));
    case 6:
      return { kind: "date" };
    case 7:
    case 8:
      return { kind: "time", unit: converted === 7 ? "MILLIS" : "MICROS", utc: true };
    case 9:
    case 10:
      return { kind: "timestamp", unit: converted === 9 ? "MILLIS" : "MICROS", utc: true };
    default:
      if (converted < 11 || converted > 18) return undefined;
      return { kind: "integer", bits: INTEGER_BITS[(converted - 11) & 3], signed: converted > 14 };
  }
}

function decimal(precision: number, scale: number): Meaning {
  if (precision < 1 || precision > 76 || scale < 0 || scale > precision) {
    throw new ParquetFault(`a decimal has ${precision} digits and a scale of ${scale}`);
  }
  return { kind: "decimal", precision, scale };
}

function unitOf(time: ThriftStruct): TimeUnit {
  const unit = structOf(time, 2)?.fields;
  return unit?.has(3) ? "NANOS" : unit?.has(2) ? "MICROS" : "MILLIS";
}

/**
 * Whether values of a physical type can mean this; a meaning that does not fit is passed over, as readers of the format
 * do.
 */
function fits(meaning: Meaning, type: PhysicalType, width: number): boolean {
  switch (meaning.kind) {
    case "text":
      return type === "BYTE_ARRAY" || type === "FIXED_LEN_BYTE_ARRAY";
    case "decimal":
      return !["BOOLEAN", "INT96", "FLOAT", "DOUBLE"].includes(type);
    case "date":
      return type === "INT32";
    case "time":
      return type === (meaning.unit === "MILLIS" ? "INT32" : "INT64");
    case "timestamp":
      return type === "INT64";
    case "integer":
      return type === (meaning.bits === 64 ? "INT64" : "INT32");
    case "uuid":
      return type === "FIXED_LEN_BYTE_ARRAY" && width === 16;
    case "float16":
      return type === "FIXED_LEN_BYTE_ARRAY" && width === 2;
    default:
      return true;
  }
}

function bare(type: PhysicalType): Meaning {
  switch (type) {
    case "BOOLEAN":
      return { kind: "boolean" };
    case "INT32":
      return { kind: "integer", bits: 32, signed: true };
    case "INT64":
      return { kind: "integer", bits: 64, signed: true };
    case "INT96":
      return { kind: "timestamp", unit: "NANOS", utc: true };
    case "FLOAT":
      return { kind: "float" };
    case "DOUBLE":
      return { kind: "double" };
    case "BYTE_ARRAY":
    case "FIXED_LEN_BYTE_ARRAY":
      return { kind: "bytes" };
  }
}

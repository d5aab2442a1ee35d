import { crc32, utf8Text } from "../../../../platform/node/bytes.js";
import type { ColumnSpec } from "../../../../spec/columns.js";
import { ParquetFault, UnsupportedParquet } from "./fault.js";
import { bytesOf, integerOf, structOf, ThriftReader, type ThriftStruct } from "./thrift.js";
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
    const name = utf8Text(bytesOf(element, 4) ?? new Uint8Array(0));
    const repetition = REPETITIONS[integerOf(element, 3, 0)];
    if (repetition === undefined) throw new ParquetFault("an element of the schema is damaged");
    const path = [...above.path, name];
    const definition = above.definition + (repetition === "required" ? 0 : 1);
    const repeats = above.repeats + (repetition === "repeated" ? 1 : 0);
    const count = integerOf(element, 5, 0);
    if (element.fields.get(1) === undefined) {
      const children = childrenOf(count, () => node({ path, definition, repeats }));
      return { name, repetition, definition, repeats, children, ...groupOf(element) };
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

/** The leaves below a node, in their order, or itself. */
export function leavesOf(node: SchemaNode): Leaf[] {
  return node.leaf === undefined ? node.children.flatMap(leavesOf) : [node.leaf];
}

function childrenOf(count: number, child: () => SchemaNode): SchemaNode[] {
  const children: SchemaNode[] = [];
  // Each call uses an element up, so that a count too large ends at the last.
  for (let i = 0; i < count; i++) children.push(child());
  return children;
}

/** What a group means, and why it cannot be read where its annotation is not one of a group. */
function groupOf(element: ThriftStruct): Pick<SchemaNode, "group" | "fault"> {
  const logical = logicalOf(element);
  const converted = convertedOf(element);
  const fault =
    GROUPS.has(logical?.id) && CONVERTED_GROUPS.has(converted) ? undefined : unknownType(logical?.id, converted);
  if (logical?.id === 3 || converted === 3) return { group: "list", fault };
  return { group: logical?.id === 2 || converted === 1 || converted === 2 ? "map" : "struct", fault };
}

/** Annotations of groups: none, MAP, LIST, VARIANT; none, MAP, MAP_KEY_VALUE, LIST. */
const GROUPS: ReadonlySet<number | undefined> = new Set([undefined, 2, 3, 16]);
const CONVERTED_GROUPS: ReadonlySet<number | undefined> = new Set([undefined, 1, 2, 3]);

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
  const isOptional = integerOf(element, 3, 0) === 1;
  return { index, path, type, width, ...meaningOf(element, type, width), maxDefinition, maxRepetition, isOptional };
}

/** By the logical type, without one by the older converted type, else by the physical type. */
function meaningOf(element: ThriftStruct, type: PhysicalType, width: number): Pick<Leaf, "meaning" | "fault"> {
  const logical = logicalOf(element);
  const converted = convertedOf(element);
  const said = logical && logicalMeaning(logical);
  const older = converted === undefined ? undefined : convertedMeaning(converted, element);
  if (said === "unknown" || older === "unknown") {
    return { meaning: bare(type), fault: unknownType(logical?.id, converted) };
  }
  const meaning = said ?? older;
  if (meaning === undefined) return { meaning: bare(type) };
  const fits = canMean(meaning, type, width) && (older === undefined || isSame(meaning, older));
  if (fits) return { meaning };
  const other = said !== undefined && older !== undefined ? ` and ${older.kind}` : "";
  return {
    meaning: bare(type),
    fault: new ParquetFault(`values of type ${type} are declared as ${meaning.kind}${other}`),
  };
}

/** Numbers that no version of the format has stand for types that are newer than this reader. */
const LAST_LOGICAL = 18;
const LAST_CONVERTED = 21;

function unknownType(logical: number | undefined, converted: number | undefined): ParquetFault | UnsupportedParquet {
  const isNew = (logical ?? 0) > LAST_LOGICAL || (converted ?? 0) > LAST_CONVERTED;
  const what = logical === undefined ? `converted type ${converted}` : `logical type ${logical}`;
  if (!isNew) return new ParquetFault(`it is declared with the ${what}, which is damaged or not for it`);
  return new UnsupportedParquet(`it has the unknown ${what}`, "Leave it out by naming the others in columns.");
}

interface LogicalType {
  /** Its number; -1 where it is damaged. */
  readonly id: number;
  readonly inner: ThriftStruct;
}

/** The logical type of an element: a struct of one member. */
function logicalOf(element: ThriftStruct): LogicalType | undefined {
  if (!element.fields.has(10)) return undefined;
  const logical = structOf(element, 10);
  const [id = -1, ...others] = logical?.fields.keys() ?? [];
  const inner = logical && structOf(logical, id);
  return inner === undefined || others.length > 0 ? { id: -1, inner: { fields: new Map() } } : { id, inner };
}

/** The number of the converted type; -1 where it is damaged. */
const convertedOf = (element: ThriftStruct): number | undefined =>
  element.fields.has(6) ? integerOf(element, 6, -1) : undefined;

/** A meaning; undefined for that of the physical type. */
type Said = Meaning | "unknown" | undefined;

function logicalMeaning({ id, inner }: LogicalType): Said {
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
    case 8: {
      const unit = unitOf(inner);
      if (unit === undefined) return "unknown";
      return { kind: id === 7 ? "time" : "timestamp", unit, utc: inner.fields.get(1) === true };
    }
    case 10:
      return { kind: "integer", bits: integerOf(inner, 1, 0), signed: inner.fields.get(2) !== false };
    case 11:
      return { kind: "null" };
    case 13:
    case 17:
    case 18:
      // BSON, and the bytes of geometries.
      return { kind: "bytes" };
    case 14:
      return { kind: "uuid" };
    case 15:
      return { kind: "float16" };
    default:
      return "unknown";
  }
}

function convertedMeaning(converted: number, element: ThriftStruct): Said {
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
    case 20:
    case LAST_CONVERTED:
      // BSON and intervals.
      return { kind: "bytes" };
    default:
      if (converted < 11 || converted > 18) return "unknown";
      return { kind: "integer", bits: INTEGER_BITS[(converted - 11) & 3], signed: converted > 14 };
  }
}

const decimal = (precision: number, scale: number): Said =>
  precision < 1 || precision > 76 || scale < 0 || scale > precision ? "unknown" : { kind: "decimal", precision, scale };

const UNITS: Readonly<Record<number, TimeUnit>> = { 1: "MILLIS", 2: "MICROS", 3: "NANOS" };

/** The unit of a time: a struct of one member. */
function unitOf(time: ThriftStruct): TimeUnit | undefined {
  const [id, ...others] = structOf(time, 2)?.fields.keys() ?? [];
  return others.length > 0 ? undefined : UNITS[id];
}

/** Whether both types of an element mean the same; that of local times is written as that of times in UTC. */
function isSame(one: Meaning, older: Meaning): boolean {
  const text = (meaning: Meaning): string => JSON.stringify({ ...meaning, utc: true }, [...MEMBERS]);
  return text(one) === text(older);
}

const MEMBERS = ["kind", "bits", "signed", "precision", "scale", "unit"] as const;

/** Whether values of a physical type can mean this. */
function canMean(meaning: Meaning, type: PhysicalType, width: number): boolean {
  switch (meaning.kind) {
    case "text":
    case "bytes":
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
      return INTEGER_BITS.includes(meaning.bits) && type === (meaning.bits === 64 ? "INT64" : "INT32");
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

/** Key of the file metadata that carries the checksum of the schema in the footer. */
export const CHECKSUM_KEY = "arrowbook.schema-checksum";

/** What files of this package name as their writer. */
export const CREATED_BY = "arrowbook";

/** The checksum of the elements of the schema in a footer. @throws {ParquetFault} where the footer is damaged */
export function schemaChecksum(footer: Uint8Array): string {
  return crc32(new ThriftReader(footer).fieldBytes(2) ?? new Uint8Array(0)).toString(16);
}

/** Key of the file metadata that carries the service's columns, as JSON. */
export const COLUMNS_KEY = "arrowbook.columns";

/** A column as the metadata of a file notes it. */
export interface NotedColumn extends ColumnSpec {
  /** The time zone of timestamps, where it is not UTC: Parquet stores that there is one, not which. */
  readonly zone?: string;
}

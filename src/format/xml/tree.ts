import { DataError } from "../../errors/errors.js";
import { XML_DONE, XML_END, XML_START, type XMLCursor, type XMLFragment } from "./cursor.js";
import { openXML } from "./open.js";

/** An element with its attributes, child elements and own text, decoded. */
export interface XMLElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XMLElement[];
  readonly text: string;
  /** The unparsed content, in which case there are no children and no text. */
  readonly content?: XMLFragment;
}

/**
 * Parses an XML document in UTF-8; all values are strings. The document is checked to be well-formed XML 1.0 or 1.1
 * without a document type ({@link XMLCursor}). The content of elements that `isUnparsed` selects by their path, names
 * from the root on, is kept as bytes for `XMLRows`; fast-xml-parser builds the tree of the rest.
 *
 * @throws {DataError} BadXml with the byte offset
 */
export async function parseXML(
  bytes: Uint8Array,
  isUnparsed: (path: readonly string[]) => boolean = () => false,
): Promise<XMLElement> {
  const { starts, skeleton } = outline(openXML(bytes), isUnparsed);
  const { XMLParser } = await import("fast-xml-parser");
  try {
    const [root] = new XMLParser(OPTIONS).parse(skeleton) as readonly OrderedNode[];
    return elementOf(root, starts);
  } catch (cause) {
    throw new DataError("The XML reply cannot be read, although it is well-formed.", {
      code: "BadXml",
      hint: 'Request another format: .format("json").',
      cause,
    });
  }
}

type Start = Pick<XMLElement, "name" | "attributes" | "content">;

interface Outline {
  readonly starts: readonly Start[];
  /**
   * The document with each tag replaced by the number of its start tag, without comments, instructions and the contents
   * that are kept as bytes.
   */
  readonly skeleton: string;
}

function outline(cursor: XMLCursor, isUnparsed: (path: readonly string[]) => boolean): Outline {
  const starts: Start[] = [];
  const path: string[] = [];
  const open: number[] = [];
  // Numeric references depend on the version; the rest of the declaration does not matter here.
  const kept = [`<?xml version="${cursor.version}"?>`];
  for (let token = cursor.next(); token !== XML_DONE; token = cursor.next()) {
    if (token === XML_START) {
      const name = cursor.name();
      const attributes = new Map(cursor.attributes());
      path.push(name);
      kept.push(`<${TAG}${starts.length}>`);
      open.push(starts.length);
      const content = isUnparsed(path) ? contentOf(cursor) : undefined;
      starts.push(content === undefined ? { name, attributes } : { name, attributes, content });
      if (content === undefined) continue;
    } else if (token !== XML_END) {
      kept.push(cursor.source());
      continue;
    }
    path.pop();
    kept.push(`</${TAG}${open.pop()}>`);
  }
  return { starts, skeleton: kept.join("") };
}

/** The content of the element that just started; moves the cursor to its end. */
function contentOf(cursor: XMLCursor): XMLFragment {
  const { b, version, p: start, depth } = cursor;
  let token = cursor.next();
  while (!(token === XML_END && cursor.depth < depth)) token = cursor.next();
  return { bytes: b, start, end: cursor.tokenStart, version };
}

const TAG = "e";
const OPTIONS = {
  preserveOrder: true,
  // No callback receives a path.
  jPath: false,
  textNodeName: "#",
  parseTagValue: false,
  trimValues: false,
  // Also needed for numeric references; the cursor has rejected all entities but the predefined ones.
  htmlEntities: true,
  processEntities: { enabled: true, maxExpandedLength: Number.POSITIVE_INFINITY },
  ignoreDeclaration: true,
  maxNestedTags: Number.POSITIVE_INFINITY,
};

/** A node of the parser: text under `#`, or an element under its tag with its child nodes. */
type OrderedNode = Readonly<Record<string, string | readonly OrderedNode[]>>;

function elementOf(node: OrderedNode, starts: readonly Start[]): XMLElement {
  const [[tag, nodes]] = Object.entries(node);
  if (typeof nodes === "string") throw new Error(`the parser found text instead of an element: ${tag}`);
  const children: XMLElement[] = [];
  let text = "";
  for (const child of nodes) {
    const own = child["#"];
    if (typeof own === "string") text += own;
    else children.push(elementOf(child, starts));
  }
  return { ...starts[Number(tag.slice(TAG.length))], children, text };
}

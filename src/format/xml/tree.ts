import { DataError } from "../../errors/errors.js";
import { XML_DONE, XML_END, XML_START, type XMLCursor, type XMLFragment } from "./cursor.js";
import { openXML } from "./open.js";

/** An element with its attributes, child elements and own text, references replaced. */
export interface XMLElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XMLElement[];
  readonly text: string;
  /** The content where it was left as it is; there are no children and no text then. */
  readonly content?: XMLFragment;
}

/**
 * Reads an XML document in UTF-8; every value stays text. The whole is checked to be well-formed XML 1.0 or 1.1 without
 * a document type ({@link XMLCursor}); the content of elements that `isLeft` picks by their path, names from the root
 * on, is left as it is, for `XMLRows`. fast-xml-parser makes the tree of what remains.
 *
 * @throws {DataError} BadXml with the byte offset
 */
export async function parseXML(
  bytes: Uint8Array,
  isLeft: (path: readonly string[]) => boolean = () => false,
): Promise<XMLElement> {
  const { starts, skeleton } = outline(openXML(bytes), isLeft);
  const { XMLParser } = await import("fast-xml-parser");
  try {
    const [root] = new XMLParser(OPTIONS).parse(skeleton) as readonly OrderedNode[];
    return elementOf(root, starts);
  } catch (cause) {
    throw new DataError("The XML reply cannot be read, although it is well-formed.", {
      code: "BadXml",
      hint: 'Ask for another format: .format("json").',
      cause,
    });
  }
}

/** What a start tag says. */
type Start = Pick<XMLElement, "name" | "attributes" | "content">;

interface Outline {
  readonly starts: readonly Start[];
  /**
   * The document with the number of its start in place of each tag, without comments, instructions and contents that
   * are left.
   */
  readonly skeleton: string;
}

function outline(cursor: XMLCursor, isLeft: (path: readonly string[]) => boolean): Outline {
  const starts: Start[] = [];
  const path: string[] = [];
  const open: number[] = [];
  // References by number follow the version; nothing else of the declaration matters here.
  const kept = [`<?xml version="${cursor.version}"?>`];
  for (let token = cursor.next(); token !== XML_DONE; token = cursor.next()) {
    if (token === XML_START) {
      const name = cursor.name();
      const attributes = new Map(cursor.attributes());
      path.push(name);
      kept.push(`<${TAG}${starts.length}>`);
      open.push(starts.length);
      const content = isLeft(path) ? contentOf(cursor) : undefined;
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

/** The content of the element that just started; the cursor goes to its end. */
function contentOf(cursor: XMLCursor): XMLFragment {
  const { b, version, p: start, depth } = cursor;
  let token = cursor.next();
  while (!(token === XML_END && cursor.depth < depth)) token = cursor.next();
  return { bytes: b, start, end: cursor.tokenStart, version };
}

const TAG = "e";
const OPTIONS = {
  preserveOrder: true,
  // No callback takes a path.
  jPath: false,
  textNodeName: "#",
  parseTagValue: false,
  trimValues: false,
  // Also needed for references by number; the cursor has refused every entity but the five of XML.
  htmlEntities: true,
  processEntities: { enabled: true, maxExpandedLength: Number.POSITIVE_INFINITY },
  ignoreDeclaration: true,
  maxNestedTags: Number.POSITIVE_INFINITY,
};

/** A node of the parser: text under `#`, or an element under its tag, with its child nodes. */
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

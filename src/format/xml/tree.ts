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

/** An element whose content is being read. */
interface OpenElement extends XMLElement {
  readonly children: XMLElement[];
  text: string;
}

/**
 * Parses an XML document in UTF-8; all values are strings. The document is checked to be well-formed XML 1.0 or 1.1
 * without a document type ({@link XMLCursor}). The content of elements that `isUnparsed` selects by their path, names
 * from the root on, is kept as bytes for `XMLRows`.
 *
 * @throws {DataError} BadXml with the byte offset
 */
export function parseXML(
  bytes: Uint8Array,
  isUnparsed: (path: readonly string[]) => boolean = () => false,
): XMLElement {
  const cursor = openXML(bytes);
  const path: string[] = [];
  const document: OpenElement = { name: "", attributes: new Map(), children: [], text: "" };
  const open = [document];
  for (let token = cursor.next(); token !== XML_DONE; token = cursor.next()) {
    const parent = open[open.length - 1];
    if (token === XML_START) {
      const element = { name: cursor.name(), attributes: new Map(cursor.attributes()), children: [], text: "" };
      path.push(element.name);
      const content = isUnparsed(path) ? contentOf(cursor) : undefined;
      parent.children.push(content === undefined ? element : { ...element, content });
      if (content === undefined) open.push(element);
      else path.pop();
    } else if (token === XML_END) {
      open.pop();
      path.pop();
    } else parent.text += cursor.text();
  }
  return document.children[0];
}

/** The content of the element that just started; moves the cursor to its end. */
function contentOf(cursor: XMLCursor): XMLFragment {
  const { b, version, p: start, depth } = cursor;
  let token = cursor.next();
  while (!(token === XML_END && cursor.depth < depth)) token = cursor.next();
  return { bytes: b, start, end: cursor.tokenStart, version };
}

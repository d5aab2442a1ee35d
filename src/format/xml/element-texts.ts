import { XML_DONE, XML_END, XML_START } from "./cursor.js";
import { openXML } from "./open.js";

/**
 * The texts, trimmed and not empty, of all elements of this name (ignoring case) that contain no other element.
 *
 * @throws {DataError} BadXml with the byte offset
 */
export function elementTexts(bytes: Uint8Array, name: string): string[] {
  const cursor = openXML(bytes);
  const texts: string[] = [];
  let text: string | undefined;
  for (let token = cursor.next(); token !== XML_DONE; token = cursor.next()) {
    if (token === XML_START) text = cursor.name().toLowerCase() === name ? "" : undefined;
    else if (token === XML_END) {
      if (text !== undefined && text.trim() !== "") texts.push(text.trim());
      text = undefined;
    } else if (text !== undefined) text += cursor.text();
  }
  return texts;
}

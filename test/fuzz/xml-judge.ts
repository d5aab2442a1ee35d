import { SaxesParser } from "saxes";

/** An element as the judge reads it. */
export interface JudgedElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: JudgedElement[];
  text: string;
}

/** The document as saxes reads it; undefined where it is not well-formed, not in UTF-8, or has a document type. */
export function judgedXML(bytes: Uint8Array): JudgedElement | undefined {
  const open: JudgedElement[] = [];
  let root: JudgedElement | undefined;
  const refuse = (error: Error): never => {
    throw error;
  };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    // saxes reads every version but 1.0 as 1.1; XML 1.0 (fifth edition, 2.8) has other versions than 1.1 read as 1.0.
    const isOther = /^\ufeff?<\?xml\s+version\s*=\s*["']1\.(?![01]["'])/.test(text);
    const parser = isOther ? new SaxesParser({ defaultXMLVersion: "1.0", forceXMLVersion: true }) : new SaxesParser();
    parser.on("error", refuse);
    parser.on("doctype", () => refuse(new Error("a document type")));
    parser.on("xmldecl", ({ encoding = "UTF-8" }) => {
      if (!/^(?:utf-?8|us-ascii)$/i.test(encoding)) refuse(new Error(`the encoding ${encoding}`));
    });
    // saxes lets a question mark follow the target of an instruction; the grammar (production 16) requires white space.
    parser.on("processinginstruction", ({ target, body }) => {
      if (body.startsWith("?") && text.includes(`<?${target}${body}`)) refuse(new Error("no space after a target"));
    });
    parser.on("opentag", ({ name, attributes }) => {
      const element = { name, attributes: new Map(Object.entries(attributes)), children: [], text: "" };
      open.at(-1)?.children.push(element);
      open.push(element);
      root ??= element;
    });
    parser.on("closetag", () => void open.pop());
    const addText = (part: string): void => {
      const element = open.at(-1);
      if (element !== undefined) element.text += part;
    };
    parser.on("text", addText);
    parser.on("cdata", addText);
    parser.write(text).close();
  } catch {
    return undefined;
  }
  return root;
}

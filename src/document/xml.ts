import { DataError } from "../errors/errors.js";
import { readNil } from "../format/xml/text.js";
import { parseXML, type XMLElement } from "../format/xml/tree.js";
import { type Profile, profiles } from "../spec/profile.js";
import type { Field, ScalarField } from "../spec/resources.js";
import { type Node, type Rows, shapeError } from "./node.js";

/** Parses the root of an XML reply and checks its name against the profile (spec 1); the rows stay unread. */
export async function xmlNode(
  bytes: Uint8Array,
  rowsAt: readonly (readonly string[])[],
  profile: Profile,
): Promise<Node> {
  const expected = profile.xmlRoot.value;
  const root = await parseXML(bytes, ([, ...path]) => rowsAt.some((names) => isPath(path, names)));
  if (root.name === expected) return new XMLNode(root, "");
  const other = Object.values(profiles).find(({ xmlRoot }) => xmlRoot.value === root.name);
  const hint =
    other === undefined
      ? "Set the root in the profile: defineProfile(…, { xmlRoot })."
      : `The profile ${other.name} has this root: connect({ profile: ${other.name} }).`;
  throw new DataError(`Expected the root element "${expected}"; the reply has "${root.name}".`, {
    code: "UnexpectedShape",
    hint,
  });
}

/** Whether a path of elements leads to a member; hyphens equal underscores. */
function isPath(elements: readonly string[], members: readonly string[]): boolean {
  return elements.length === members.length && members.every((name, i) => hyphens(name) === hyphens(elements[i]));
}

/** The element name of a member (spec 1: hyphens in place of JSON's underscores). */
export function hyphens(name: string): string {
  return name.replaceAll("_", "-");
}

class XMLNode implements Node {
  constructor(
    private readonly element: XMLElement,
    readonly where: string,
  ) {}

  isNull(): boolean {
    const { attributes, text, children } = this.element;
    const nil = attributes.get("nil") ?? attributes.get("xsi:nil");
    const isNull = nil === undefined ? false : readNil(nil);
    if (isNull === undefined)
      throw shapeError(`has nil=${JSON.stringify(nil)}, neither "true" nor "false"`, this.where);
    if (isNull && (text.trim() !== "" || children.length > 0)) {
      throw shapeError('has nil="true" and a value', this.where);
    }
    return isNull;
  }

  member(name: string, field: Field): XMLNode | undefined {
    const where = this.where === "" ? name : `${this.where}.${name}`;
    const names = new Set([name, hyphens(name), "xml" in field && field.xml !== undefined ? field.xml : name]);
    const found = this.element.children.filter((child) => names.has(child.name));
    if (found.length > 1) throw shapeError("is repeated", where);
    return found.length === 0 ? undefined : new XMLNode(found[0], where);
  }

  items(): readonly XMLNode[] {
    const { text, children } = this.element;
    if (text.trim() !== "") throw shapeError("is a text, not a list", this.where);
    return children.map((child, i) => new XMLNode(child, `${this.where}[${i}]`));
  }

  text(kind: ScalarField["kind"]): string {
    const { text, children } = this.element;
    if (children.length > 0) throw shapeError("contains elements, not a single value", this.where);
    return kind === "string" ? text : text.trim();
  }

  rows(): Rows {
    const { content } = this.element;
    if (content === undefined || this.isNull()) throw shapeError("is null, not an array of rows", this.where);
    return { kind: "xml", ...content };
  }
}

import { DataError } from "../errors/errors.js";
import { parseXML, type XMLElement, xmlRows } from "../format/xml/tree.js";
import { type Profile, profiles } from "../spec/profile.js";
import type { Field, ScalarField } from "../spec/resources.js";
import { type Node, shapeError } from "./node.js";
import type { Rows } from "./rows.js";

/** The root of an XML reply, its name checked against the profile (spec 1); the rows stay as they are written. */
export async function xmlNode(
  bytes: Uint8Array,
  rowsAt: readonly (readonly string[])[],
  profile: Profile,
): Promise<Node> {
  const wanted = profile.xmlRoot.value;
  const paths = rowsAt.map((path) => [wanted, ...path.map(hyphens)].join("."));
  const { name, root } = await parseXML(bytes, paths);
  if (name === wanted) return new XMLNode(root, "");
  const other = Object.values(profiles).find(({ xmlRoot }) => xmlRoot.value === name);
  const hint = other === undefined ? "Give the profile its root: defineProfile(…, { xmlRoot })." : profileHint(other);
  throw new DataError(`The reply's root element is "${name}", not "${wanted}".`, { code: "UnexpectedShape", hint });
}

function profileHint({ name }: Profile): string {
  return `The profile ${name} has this root: connect({ profile: ${name} }).`;
}

/** The element name of a member (spec 1: hyphens where JSON has underscores). */
export function hyphens(name: string): string {
  return name.replaceAll("_", "-");
}

class XMLNode implements Node {
  constructor(
    private readonly element: XMLElement,
    readonly where: string,
  ) {}

  isNull(): boolean {
    if (this.element["@nil"] !== "true") return false;
    if (ownText(this.element).trim() !== "" || children(this.element).length > 0) {
      throw shapeError('says nil="true" and holds a value', this.where);
    }
    return true;
  }

  member(name: string, field: Field): XMLNode | undefined {
    const where = this.where === "" ? name : `${this.where}.${name}`;
    const special = "xml" in field && field.xml !== undefined ? [field.xml] : [];
    for (const key of [...special, hyphens(name), name]) {
      if (!Object.hasOwn(this.element, key)) continue;
      const found = this.element[key];
      if (typeof found !== "object") continue;
      if (Array.isArray(found)) throw shapeError("stands twice", where);
      return new XMLNode(found as XMLElement, where);
    }
    return undefined;
  }

  items(): readonly XMLNode[] {
    if (ownText(this.element).trim() !== "") throw shapeError("is a text, not a list", this.where);
    return children(this.element).map((child, i) => new XMLNode(child, `${this.where}[${i}]`));
  }

  text(kind: ScalarField["kind"]): string {
    if (children(this.element).length > 0) throw shapeError("holds elements, not a single value", this.where);
    const text = ownText(this.element);
    return kind === "string" ? text : text.trim();
  }

  /** The parser left the content of the rows element as it is written. */
  rows(): Rows {
    if (this.element["@nil"] === "true") throw shapeError("is null, not an array of rows", this.where);
    const content = ownText(this.element);
    return { kind: "texts", rows: { [Symbol.iterator]: () => xmlRows(content) } };
  }
}

function ownText(element: XMLElement): string {
  const text = element["#"];
  return typeof text === "string" ? text : "";
}

/** All child elements, those of one name together. */
function children(element: XMLElement): readonly XMLElement[] {
  return Object.entries(element).flatMap(([name, value]) =>
    name === "#" || name.startsWith("@") || typeof value === "string"
      ? []
      : (value as XMLElement | readonly XMLElement[]),
  );
}

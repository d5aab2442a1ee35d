import { readEnvelope } from "../format/json-envelope.js";
import type { Fields, ScalarField } from "../spec/resources.js";
import { type Node, type Rows, shapeError } from "./node.js";

/** Parses the root of a JSON reply; rows at one of these paths stay unread. */
export function jsonNode(bytes: Uint8Array, rowsAt: readonly (readonly string[])[]): JSONNode {
  const { value, rows } = readEnvelope(bytes, rowsAt);
  return new JSONNode(value, "", rows === undefined ? undefined : { kind: "json", bytes, ...rows });
}

/** The path of a resource's rows in JSON: `dataset_data.data`. */
export function rowPaths(fields: Fields, above: readonly string[] = []): string[][] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.kind === "rows"
      ? [[...above, name]]
      : field.kind === "object"
        ? rowPaths(field.fields, [...above, name])
        : [],
  );
}

/** A JSON value as a node; also used for list and object cells of CSV metadata (spec 2.7). */
export class JSONNode implements Node {
  constructor(
    private readonly value: unknown,
    readonly where: string,
    private readonly found?: Rows,
  ) {}

  isNull(): boolean {
    return this.value === null;
  }

  member(name: string): JSONNode | undefined {
    const { value } = this;
    if (!isObject(value)) throw shapeError(`is ${nameOf(value)}, not an object`, this.where);
    return Object.hasOwn(value, name) ? new JSONNode(value[name], join(this.where, name), this.found) : undefined;
  }

  items(): readonly JSONNode[] {
    if (!Array.isArray(this.value)) throw shapeError(`is ${nameOf(this.value)}, not an array`, this.where);
    return this.value.map((item: unknown, i) => new JSONNode(item, `${this.where}[${i}]`));
  }

  text(kind: ScalarField["kind"]): string {
    const { value } = this;
    const wanted = kind === "integer" || kind === "float" ? "number" : kind === "boolean" ? "boolean" : "string";
    if (typeof value === wanted) return String(value);
    throw shapeError(`is ${nameOf(value)}, not ${EXPECTED[kind]}`, this.where);
  }

  /** The envelope reader leaves null in place of the rows. */
  rows(): Rows {
    if (this.value !== null || this.found === undefined) {
      throw shapeError(`is ${nameOf(this.value)}, not an array of rows`, this.where);
    }
    return this.found;
  }
}

/** Whether a value of JSON is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const EXPECTED: Readonly<Record<ScalarField["kind"], string>> = {
  string: "a text",
  integer: "a number",
  float: "a number",
  boolean: "true or false",
  date: "a text",
  dateTime: "a text",
};

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return "a text";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return "a number";
  return Array.isArray(value) ? "an array" : "an object";
}

function join(where: string, name: string): string {
  return where === "" ? name : `${where}.${name}`;
}

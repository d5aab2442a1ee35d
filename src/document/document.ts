import { DataError } from "../errors/errors.js";
import type { Profile } from "../spec/profile.js";
import { type ObjectField, type Resource, type ResourceName, resources } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import { looksLikeFailure, readFailure } from "./failure.js";
import { documentFormat } from "./formats.js";
import { type Found, type Node, readFields, shapeError } from "./node.js";
import type { RecordOf } from "./records.js";
import type { Rows } from "./rows.js";

/** Resources that carry rows; in CSV their replies hold nothing else (spec 1). */
type RowsResource = "datasetData" | "dataset" | "tableRows";

/**
 * A reply taken apart: its members as plain data under their wire names, without the root member's level, and its rows
 * still untyped. A CSV reply with rows carries nothing beside them but, for a time series, `column_names`.
 */
export interface Document<R extends ResourceName = ResourceName> {
  /** What the reply turned out to be: a question for 2.1 may be answered by 2.3 and the other way round. */
  readonly resource: ResourceName;
  readonly fields: R extends RowsResource ? Partial<RecordOf<R>> : RecordOf<R>;
  readonly rows?: Rows;
}

/** Either root answers the questions of spec 4.1, 4.2 and 4.4. */
const ALTERNATIVES: Readonly<Partial<Record<ResourceName, ResourceName>>> = {
  datasetData: "dataset",
  dataset: "datasetData",
};

/**
 * Takes a reply apart by the resource table of spec section 2. JSON rows come back as a byte range that was not read:
 * the row reader checks that they end where the range ends.
 *
 * @throws {DataError} BadJson, TruncatedJson, BadXml, BadCsv, BadUtf8 for bytes that are not what they should be,
 *   UnexpectedContent for another format or a web page, UnexpectedShape for missing or wrong members, and a
 *   ServiceError where the body is an error in spite of its status
 */
export async function readDocument<R extends ResourceName>(
  resource: R,
  format: Format,
  bytes: Uint8Array,
  profile: Profile,
): Promise<Document<R>> {
  const { root, rowsAlone } = documentFormat(format);
  checkFormat(format, bytes);
  const fail = () => refuseFailure(bytes, profile);
  if (rowsAlone === undefined) return readTree(resource, await root(bytes, profile), fail) as Document<R>;
  if (hasRows(resource)) {
    const { names, rows } = rowsAlone(bytes);
    if (names.length === 2 && names[0] === "code" && names[1] === "message") fail();
    const fields = resource === "tableRows" ? {} : { column_names: names };
    return { resource, fields, rows } as Document as Document<R>;
  }
  const { fields } = resources[resource] as Resource;
  try {
    return asDocument(resource, readFields(fields, await root(bytes, profile), { fields: {} })) as Document<R>;
  } catch (error) {
    // The members have no root that distinguishes an error body from them.
    fail();
    throw error;
  }
}

function readTree(resource: ResourceName, root: Node, fail: () => void): Document {
  const actual = present(resource, root);
  if (actual === undefined) {
    fail();
    throw shapeError(`has no member "${rootName(resource)}"`, "");
  }
  return asDocument(actual, readFields((resources[actual] as Resource).fields, root, { fields: {} }));
}

/** The resource whose root member the reply has. */
function present(resource: ResourceName, root: Node): ResourceName | undefined {
  for (const candidate of [resource, ALTERNATIVES[resource]]) {
    if (candidate === undefined) continue;
    const [[name, field]] = Object.entries((resources[candidate] as Resource).fields);
    if (root.member(name, field as ObjectField) !== undefined) return candidate;
  }
  return undefined;
}

function rootName(resource: ResourceName): string {
  return Object.keys(resources[resource].fields)[0];
}

function asDocument(resource: ResourceName, found: Found): Document {
  if (hasRows(resource) && found.rows === undefined) throw shapeError("has no rows", "");
  return { resource, ...found } as Document;
}

function hasRows(resource: ResourceName): boolean {
  return resource === "datasetData" || resource === "dataset" || resource === "tableRows";
}

function refuseFailure(bytes: Uint8Array, profile: Profile): void {
  if (looksLikeFailure(bytes)) {
    throw readFailure({ status: 200, contentType: null, headers: () => null, bytes }, profile);
  }
}

/** Refuses a reply in another format, and web pages with status 200 (a proxy, a login page), by the first bytes. */
function checkFormat(format: Format, bytes: Uint8Array): void {
  const start = new TextDecoder().decode(bytes.subarray(0, 400)).trimStart();
  const page = /^<!doctype html|^<html/i.test(start);
  if (start !== "" && !page && documentFormat(format).begins(start)) return;
  const other = start.startsWith("<") ? "XML" : "something else";
  const what = page ? "a web page" : start === "" ? "nothing" : other;
  throw new DataError(`The service answered with ${what} where ${format.toUpperCase()} was asked for.`, {
    code: "UnexpectedContent",
    body: start.slice(0, 200),
    hint: "A proxy or login page may be in between, or the address belongs to another service: check connect({ url }).",
  });
}

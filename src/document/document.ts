import type { Profile } from "../spec/profile.js";
import { type ObjectField, type Resource, type ResourceName, resources } from "../spec/resources.js";
import type { Format } from "../spec/vocabulary.js";
import { isFailureReply, looksLikeFailure, readFailure } from "./failure.js";
import { documentFormat } from "./formats.js";
import { type Found, type Node, type Rows, readFields, shapeError } from "./node.js";
import type { RecordOf } from "./records.js";

/** Resources with rows; in CSV their replies contain nothing else (spec 1). */
type RowsResource = "datasetData" | "dataset" | "tableRows";

/**
 * A parsed reply: its members as plain data under their wire names, without the level of the root member, and its
 * untyped rows. A CSV reply with rows contains no other members except, for a time series, `column_names`.
 */
export interface Document<R extends ResourceName = ResourceName> {
  /** The actual resource: a request for 2.1 may return 2.3 and vice versa. */
  readonly resource: ResourceName;
  readonly fields: R extends RowsResource ? Partial<RecordOf<R>> : RecordOf<R>;
  readonly rows?: Rows;
  /** Names of the members that are null in `fields` because the reply lacks them. */
  readonly missing?: ReadonlySet<string>;
}

/** Resources that may be returned in place of each other (spec 4.1, 4.2 and 4.4). */
const ALTERNATIVES: Readonly<Partial<Record<ResourceName, ResourceName>>> = {
  datasetData: "dataset",
  dataset: "datasetData",
};

/**
 * Parses a reply by the resource table of spec section 2. JSON rows are returned as an unread byte range; the row
 * reader verifies that they end with it.
 *
 * @throws {DataError} BadJson, TruncatedJson, BadXml, BadCsv, BadUtf8 for malformed bytes, UnexpectedShape for missing
 *   or wrong members
 * @throws {ServiceError} if the body is an error in spite of its status
 */
export async function readDocument<R extends ResourceName>(
  resource: R,
  format: Format,
  bytes: Uint8Array,
  profile: Profile,
): Promise<Document<R>> {
  const { root, rowsAlone } = documentFormat(format);
  const fail = (): void => {
    if (looksLikeFailure(bytes))
      throw readFailure({ status: 200, contentType: null, headers: () => null, bytes }, profile);
  };
  if (rowsAlone === undefined) return readTree(resource, await root(bytes, profile), fail) as Document<R>;
  if (hasRows(resource)) {
    const { names, rows } = rowsAlone(bytes);
    // A table may have these two columns.
    const isPair = names.length === 2 && names[0] === "code" && names[1] === "message";
    if (isPair && (resource !== "tableRows" || isFailureReply(bytes, profile))) fail();
    const fields = resource === "tableRows" ? {} : { column_names: names };
    return { resource, fields, rows } as Document as Document<R>;
  }
  const { fields } = resources[resource] as Resource;
  try {
    return asDocument(resource, readFields(fields, await root(bytes, profile), { fields: {} })) as Document<R>;
  } catch (error) {
    // These members have no root that would distinguish an error body from them.
    fail();
    throw error;
  }
}

function readTree(resource: ResourceName, root: Node, fail: () => void): Document {
  const actual = present(resource, root);
  if (actual === undefined) {
    fail();
    throw shapeError(`has no member "${Object.keys(resources[resource].fields)[0]}"`, "");
  }
  return asDocument(actual, readFields((resources[actual] as Resource).fields, root, { fields: {} }));
}

function present(resource: ResourceName, root: Node): ResourceName | undefined {
  for (const candidate of [resource, ALTERNATIVES[resource]]) {
    if (candidate === undefined) continue;
    const [[name, field]] = Object.entries((resources[candidate] as Resource).fields);
    if (root.member(name, field as ObjectField) !== undefined) return candidate;
  }
  return undefined;
}

function asDocument(resource: ResourceName, found: Found): Document {
  if (hasRows(resource) && found.rows === undefined) throw shapeError("has no rows", "");
  return { resource, ...found } as Document;
}

function hasRows(resource: ResourceName): boolean {
  return resource === "datasetData" || resource === "dataset" || resource === "tableRows";
}

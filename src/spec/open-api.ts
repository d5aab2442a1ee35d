import { API_PREFIX, type Endpoint, endpoints } from "./endpoints.js";
import type { Profile } from "./profile.js";
import { type Field, type Fields, resources } from "./resources.js";
import { FILE_STATUSES, type Format } from "./vocabulary.js";

/** A JSON Schema, or another object of an OpenAPI document. */
type Json = { readonly [name: string]: Json | string | number | boolean | null | readonly (Json | string | null)[] };

/** Path of the document at an embedded service. */
export const OPEN_API_PATH = "/openapi.json";

const MEDIA_TYPES = { json: "application/json", xml: "application/xml", csv: "text/csv" } as const satisfies Record<
  Format,
  string
>;

const ref = (kind: "schemas" | "responses", name: string): Json => ({ $ref: `#/components/${kind}/${name}` });
const listOf = (items: Json): Json => ({ type: "array", items });

/**
 * The interface of the service as an OpenAPI 3.1 document, from the tables of this folder: the calls of spec 4, the
 * resources of spec 2, and what the profile adds where the specification is open.
 *
 * @param baseUrl the address before `/api/v3`
 */
export function openApi(profile: Profile, baseUrl: string): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "Data delivery service",
      version: API_PREFIX.slice(API_PREFIX.lastIndexOf("/") + 1),
      description: `Time-series datasets, databases and tables, read-only. Profile: ${profile.name}.`,
    },
    servers: [{ url: `${baseUrl}${API_PREFIX}` }],
    security: [{ key: [] }],
    paths: pathsOf(profile),
    components: {
      schemas: {
        ...Object.fromEntries(Object.entries(resources).map(([name, { fields }]) => [name, objectOf(fields)])),
        row: listOf({ type: ["string", "number", "boolean", "null"] }),
        column: {
          type: "object",
          required: ["name", "type"],
          properties: { name: { type: "string" }, type: { type: "string" } },
        },
        error: errorOf(profile),
      },
      responses: {
        error: {
          description: "An error",
          content: { "application/json": { schema: ref("schemas", "error") } },
        },
      },
      securitySchemes: { key: { type: "apiKey", in: "query", name: profile.keyParameter.value } },
    },
  };
}

/** The calls of the specification. Two that share a path (spec 4.7, 4.9) are one operation with either reply. */
function pathsOf(profile: Profile): Json {
  const paths: Record<string, readonly [string, Endpoint][]> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    if (endpoint.extension !== undefined) continue;
    const path = endpoint.formats.length === 0 ? endpoint.path : `${endpoint.path}.{format}`;
    paths[path] = [...(paths[path] ?? []), [name, endpoint]];
  }
  return Object.fromEntries(Object.entries(paths).map(([path, calls]) => [path, { get: operation(calls, profile) }]));
}

function operation(calls: readonly [string, Endpoint][], profile: Profile): Json {
  const [[name, { path, formats }]] = calls;
  const sections = calls.map(([, { section }]) => section).join(", ");
  const codes = [...path.matchAll(/\{(\w+)\}/g)].map(([, code]) => pathParameter(code, { type: "string" }));
  const format = formats.length === 0 ? [] : [pathParameter("format", { enum: [...formats] })];
  const names = [...new Set(calls.flatMap(([, { parameters }]) => parameters))];
  const filters = calls.some(([, endpoint]) => endpoint.filters === true) ? [FILTERS] : [];
  const replies = calls.flatMap(([, { reply }]) => (reply === undefined ? [] : [ref("schemas", reply)]));
  return {
    operationId: name,
    description: `Spec ${sections}.`,
    parameters: [...codes, ...format, ...names.map((parameter) => queryParameter(parameter, profile)), ...filters],
    responses: {
      "200": { description: "The reply", content: contentOf(formats, replies) },
      default: ref("responses", "error"),
    },
  };
}

function contentOf(formats: readonly Format[], replies: readonly Json[]): Json {
  if (replies.length === 0) return { "application/zip": { schema: { type: "string", format: "binary" } } };
  const schema = replies.length === 1 ? replies[0] : { oneOf: replies };
  return Object.fromEntries(
    formats.map((format) => [MEDIA_TYPES[format], { schema: format === "json" ? schema : { type: "string" } }]),
  );
}

const pathParameter = (name: string, schema: Json): Json => ({ name, in: "path", required: true, schema });

/** Row filters (spec 4.7): each column that the table lists in `filters`, alone or with `.gte` and `.lte`. */
const FILTERS: Json = {
  name: "filters",
  in: "query",
  description: "`column=value,value`, `column.gte=value`, `column.lte=value`",
  style: "form",
  explode: true,
  schema: { type: "object", additionalProperties: { type: "string" } },
};

function queryParameter(name: string, profile: Profile): Json {
  const values = {
    column_index: { type: "integer", minimum: 0 },
    limit: { type: "integer", minimum: 0 },
    start_date: { type: "string", format: "date" },
    end_date: { type: "string", format: "date" },
    collapse: { enum: [...profile.collapses.value] },
    transform: { enum: [...profile.transforms.value] },
    order: { enum: [...profile.orders.value] },
    download_type: { enum: [...profile.downloadTypes.value] },
    "qopts.export": { type: "boolean" },
    "@pageSize": { type: "integer", minimum: 1, maximum: profile.maxRowsPerReply.value },
  } as const satisfies Readonly<Record<string, Json>>;
  const given = { "@pageSize": profile.pageSizeParameter.value, "@cursor": profile.cursorParameter.value };
  const own: Readonly<Record<string, string>> = given;
  const schemas: Readonly<Record<string, Json>> = values;
  return { name: own[name] ?? name, in: "query", schema: schemas[name] ?? { type: "string" } };
}

function objectOf(fields: Fields): Json {
  const present = Object.entries(fields).filter(
    ([, field]) => !("absentIn" in field && field.absentIn?.includes("json")),
  );
  return {
    type: "object",
    required: present.map(([name]) => name),
    properties: Object.fromEntries(present.map(([name, field]) => [name, schemaOf(name, field)])),
  };
}

function schemaOf(name: string, field: Field): Json {
  switch (field.kind) {
    case "object":
      return objectOf(field.fields);
    case "rows":
      return listOf(ref("schemas", "row"));
    case "columns":
      return listOf(ref("schemas", "column"));
    case "texts":
      return listOf({ type: "string" });
    case "date":
      return { type: orNull("string", field.nullable), format: "date" };
    case "dateTime":
      return field.json === "utc"
        ? { type: orNull("string", field.nullable), pattern: "^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC$" }
        : { type: orNull("string", field.nullable), format: "date-time" };
    case "float":
      return { type: orNull("number", field.nullable) };
    case "string":
    case "integer":
    case "boolean":
      return {
        type: orNull(field.kind, field.nullable),
        ...(name === "status" && !field.nullable && { enum: [...FILE_STATUSES] }),
      };
  }
}

const orNull = (type: string, nullable: true | undefined): string | readonly string[] =>
  nullable ? [type, "null"] : type;

function errorOf({ errorRoot }: Profile): Json {
  const members = { code: { type: "string" }, message: { type: "string" } };
  const body = { type: "object", required: Object.keys(members), properties: members };
  return { type: "object", required: [errorRoot.value], properties: { [errorRoot.value]: body } };
}

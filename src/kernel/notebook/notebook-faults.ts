/** The newest minor version of notebook format 4 that is validated strictly; later ones are read leniently. */
const KNOWN_MINOR = 5;
/** The minor version from which every cell has an id. */
export const MINOR_WITH_IDS = 5;

type Fields = { readonly [name: string]: unknown };

const CELL_FIELDS: Readonly<Record<string, readonly string[]>> = {
  code: ["cell_type", "metadata", "source", "outputs", "execution_count"],
  markdown: ["cell_type", "metadata", "source", "attachments"],
  raw: ["cell_type", "metadata", "source", "attachments"],
};

const OUTPUT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  stream: ["output_type", "name", "text"],
  display_data: ["output_type", "data", "metadata"],
  execute_result: ["output_type", "data", "metadata", "execution_count"],
  error: ["output_type", "ename", "evalue", "traceback"],
};

/** All violations of notebook format 4 in `raw`, each with its cell; empty for a valid notebook. */
export function notebookFaults(raw: unknown): string[] {
  if (!isObject(raw)) return ["the file does not contain a JSON object"];
  if (raw["nbformat"] !== 4) return ["nbformat is missing"];
  const minor = raw["nbformat_minor"];
  if (!isCount(minor)) return ["nbformat_minor is missing"];
  if (!isObject(raw["metadata"])) return ["metadata is missing"];
  if (!Array.isArray(raw["cells"])) return ["cells is missing"];
  const faults = metadataFaults(raw["metadata"]);
  const strict = minor <= KNOWN_MINOR;
  if (strict) faults.push(...extraFields(raw, ["nbformat", "nbformat_minor", "metadata", "cells"]));
  const seen = new Set<unknown>();
  for (const [index, cell] of raw["cells"].entries()) {
    const where = `cell ${index + 1}${isObject(cell) && typeof cell["id"] === "string" ? ` (id ${cell["id"]})` : ""}`;
    const found = isObject(cell) ? cellFaults(cell, minor) : ["is not an object"];
    if (isObject(cell) && cell["id"] !== undefined && seen.has(cell["id"]))
      found.push("repeats the id of another cell");
    if (isObject(cell)) seen.add(cell["id"]);
    faults.push(...found.map((fault) => `${where} ${fault}`));
  }
  return faults;
}

function metadataFaults(metadata: Fields): string[] {
  const faults = ["kernelspec", "language_info"]
    .filter((name) => {
      const found = metadata[name];
      return found !== undefined && !(isObject(found) && typeof found["name"] === "string");
    })
    .map((name) => `metadata.${name} has no name`);
  const { authors } = metadata;
  return authors === undefined || Array.isArray(authors) ? faults : [...faults, "metadata.authors is not a list"];
}

function cellFaults(cell: Fields, minor: number): string[] {
  const type = cell["cell_type"];
  const fields = typeof type === "string" ? CELL_FIELDS[type] : undefined;
  if (fields === undefined) {
    return minor > KNOWN_MINOR && typeof type === "string" ? [] : [`has the unknown type ${JSON.stringify(type)}`];
  }
  const faults = minor >= MINOR_WITH_IDS ? idFaults(cell["id"]) : [];
  if (minor <= KNOWN_MINOR) faults.push(...extraFields(cell, minor >= MINOR_WITH_IDS ? [...fields, "id"] : fields));
  if (!isText(cell["source"])) faults.push("has no source");
  if (!isObject(cell["metadata"])) faults.push("has no metadata");
  else if (minor <= KNOWN_MINOR) faults.push(...cellMetadataFaults(cell["metadata"]));
  if (type !== "code") return faults;
  if (cell["execution_count"] !== null && !isCount(cell["execution_count"])) faults.push("has no execution_count");
  if (!Array.isArray(cell["outputs"])) return [...faults, "has no outputs"];
  for (const [index, output] of cell["outputs"].entries()) {
    const found = isObject(output) ? outputFaults(output, minor) : ["is not an object"];
    faults.push(...found.map((fault) => `has an invalid output ${index + 1}: it ${fault}`));
  }
  return faults;
}

function idFaults(id: unknown): string[] {
  if (typeof id !== "string") return ["has no id"];
  return /^[a-zA-Z0-9_-]{1,64}$/.test(id) ? [] : [`has an invalid id: ${JSON.stringify(id.slice(0, 80))}`];
}

type MemberCheck = readonly [isValid: (value: unknown) => boolean, what: string];
const STRING: MemberCheck = [(value) => typeof value === "string", "text"];
const OBJECT: MemberCheck = [isObject, "an object"];

const CELL_METADATA: Readonly<Record<string, MemberCheck>> = {
  collapsed: [(value) => typeof value === "boolean", "true or false"],
  scrolled: [(value) => typeof value === "boolean" || value === "auto", 'true, false or "auto"'],
  name: STRING,
  format: STRING,
  tags: [(value) => Array.isArray(value) && value.every((tag) => typeof tag === "string"), "an array of strings"],
  jupyter: OBJECT,
  execution: OBJECT,
};

function cellMetadataFaults(metadata: Fields): string[] {
  return Object.entries(CELL_METADATA)
    .filter(([name, [isValid]]) => metadata[name] !== undefined && !isValid(metadata[name]))
    .map(([name, [, what]]) => `has metadata.${name} that is not ${what}`);
}

function outputFaults(output: Fields, minor: number): string[] {
  const type = output["output_type"];
  const fields = typeof type === "string" ? OUTPUT_FIELDS[type] : undefined;
  if (fields === undefined) return minor > KNOWN_MINOR ? [] : [`has the unknown type ${JSON.stringify(type)}`];
  const faults = minor <= KNOWN_MINOR ? extraFields(output, fields) : [];
  for (const field of fields) if (output[field] === undefined) faults.push(`has no ${field}`);
  if (type === "stream" && !isText(output["text"])) faults.push("has text that is not text");
  if (fields.includes("data") && !isObject(output["data"])) faults.push("has data that is not a MIME bundle");
  if (fields.includes("metadata") && !isObject(output["metadata"])) faults.push("has metadata that is not an object");
  if (type === "error" && !isText(output["traceback"])) faults.push("has a traceback that is not a list");
  return faults;
}

function extraFields(object: Fields, known: readonly string[]): string[] {
  return Object.keys(object)
    .filter((name) => !known.includes(name))
    .map((name) => `has the unknown field ${JSON.stringify(name)}`);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

function isText(value: unknown): boolean {
  return typeof value === "string" || (Array.isArray(value) && value.every((line) => typeof line === "string"));
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv-draft-04";
import { casesFolder } from "../cases.js";

/** What nbformat's own schema has against a notebook; the schemas are among the collected cases. */
export function schemaFaults(notebook: { readonly nbformat_minor: number }): readonly unknown[] {
  const name = `nbformat.v4.${notebook.nbformat_minor}.schema.json`;
  const schema = JSON.parse(readFileSync(join(casesFolder, "notebooks-nbformat", "schemas", name), "utf8")) as object;
  const ajv = new Ajv.default({ strict: false, allErrors: true });
  ajv.validate(schema, notebook);
  return ajv.errors ?? [];
}

import { InputError } from "../../errors/errors.js";
import { type Notebook, type NotebookCell, withIds } from "./notebook-file.js";

/** Values for the names that the cell with the tag `parameters` declares. */
export type Parameters = Readonly<Record<string, unknown>>;

const DEFAULTS = "parameters";
const INJECTED = "injected-parameters";

/**
 * Parses `name=value`: JSON where the value is JSON, else text.
 *
 * @throws {InputError} BadArgument if there is no name that a cell could declare
 */
export function parameterOf(text: string): readonly [string, unknown] {
  const [, name, value] = /^([\p{L}_$][\p{L}\p{N}_$]*)=(.*)$/su.exec(text) ?? [];
  if (name === undefined) {
    throw new InputError(`A parameter must be name=value; got ${JSON.stringify(text)}.`, {
      code: "BadArgument",
      hint: "Pass a name of TypeScript and a value, such as --parameter days=30",
    });
  }
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}

/**
 * Adds a cell that sets the parameters, as papermill does: in place of an earlier one, else after the cell with the tag
 * `parameters`, else at the top.
 *
 * @throws {InputError} BadArgument if the kernel is of another language
 */
export function withParameters(notebook: Notebook, parameters: Parameters, language: string): Notebook {
  if (!/^(?:type|java)script$/i.test(language)) {
    throw new InputError(`Parameters are set in TypeScript; the notebook's kernel runs ${language}.`, {
      code: "BadArgument",
      hint: "Run it without --parameter, or with papermill.",
    });
  }
  // `let`: a constant would have the type of its one value.
  const lines = Object.entries(parameters).map(([name, value]) => `let ${name} = ${JSON.stringify(value)};`);
  const source = ["// Parameters", ...lines].join("\n");
  const cells = [...notebook.cells];
  const earlier = cells.findIndex((cell) => hasTag(cell, INJECTED));
  const at = earlier === -1 ? cells.findIndex((cell) => hasTag(cell, DEFAULTS)) + 1 : earlier;
  const added = { cell_type: "code", metadata: { tags: [INJECTED] }, execution_count: null, outputs: [] };
  const injected: NotebookCell = { ...(earlier === -1 ? added : cells[earlier]), source };
  cells.splice(at, earlier === -1 ? 0 : 1, injected);
  return withIds({ ...notebook, cells }) as Notebook;
}

export function hasTag({ metadata }: NotebookCell, tag: string): boolean {
  return Array.isArray(metadata["tags"]) && metadata["tags"].includes(tag);
}

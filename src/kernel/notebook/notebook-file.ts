import { readFile, writeFile } from "node:fs/promises";
import { DataError, InputError } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import type { Json } from "../protocol/message.js";
import { notebookFaults } from "./notebook-faults.js";

/** Text as a notebook stores it: one string, or its lines with their line ends. */
export type MultilineText = string | readonly string[];

/** A MIME bundle: one thing in several forms. */
export type MimeBundle = { readonly [mime: string]: Json };

/** One stored output of a code cell. */
export type Output =
  | { readonly output_type: "stream"; readonly name: string; readonly text: MultilineText }
  | { readonly output_type: "display_data"; readonly data: MimeBundle; readonly metadata: MimeBundle }
  | {
      readonly output_type: "execute_result";
      readonly data: MimeBundle;
      readonly metadata: MimeBundle;
      readonly execution_count: number | null;
    }
  | {
      readonly output_type: "error";
      readonly ename: string;
      readonly evalue: string;
      readonly traceback: readonly string[];
    };

/** One cell. A cell type of a later minor version is kept as it is. */
export interface NotebookCell {
  readonly cell_type: string;
  readonly id?: string;
  readonly metadata: MimeBundle;
  readonly source: MultilineText;
  readonly attachments?: { readonly [name: string]: MimeBundle };
  readonly outputs?: readonly Output[];
  readonly execution_count?: number | null;
}

/** A notebook of format 4, with the JSON shape of its file. */
export interface Notebook {
  readonly nbformat: 4;
  readonly nbformat_minor: number;
  readonly metadata: MimeBundle;
  readonly cells: readonly NotebookCell[];
}

/**
 * Reads and checks a notebook of format 4.
 *
 * @throws {FileError} when it cannot be read, and DataError with code BadNotebook that names the first faulty cell
 */
export async function readNotebook(path: string): Promise<Notebook> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw fileError(path, "read", error, { what: "notebook" });
  }
  return parseNotebook(text, path);
}

/** {@link readNotebook} for text already at hand; `name` stands for the file in messages. */
export function parseNotebook(text: string, name: string): Notebook {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    throw new DataError(`${name} is not a notebook: it is not JSON (${(error as Error).message}).`, {
      code: "BadNotebook",
    });
  }
  refuseOtherFormats(raw, name);
  const faults = notebookFaults(raw);
  if (faults.length > 0) {
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
    throw new DataError(`${name} is not a valid notebook: ${faults[0]}${more}.`, { code: "BadNotebook" });
  }
  return raw as Notebook;
}

/** A notebook as Jupyter itself writes it: keys sorted, indented by one, so that a run changes only what it must. */
export function formatNotebook(notebook: Notebook): string {
  return `${JSON.stringify(sorted(notebook), null, 1)}\n`;
}

/**
 * Writes `notebook` to `path`.
 *
 * @throws {FileError} when the file system refuses
 */
export async function writeNotebook(path: string, notebook: Notebook): Promise<void> {
  try {
    await writeFile(path, formatNotebook(notebook));
  } catch (error) {
    throw fileError(path, "write", error, { what: "notebook" });
  }
}

/** The text of a multiline field. */
export function joined(text: MultilineText): string {
  return typeof text === "string" ? text : text.join("");
}

/** A text as a list of lines that keep their line ends. */
export function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function refuseOtherFormats(raw: unknown, name: string): void {
  const format = (raw as { nbformat?: unknown } | null)?.nbformat;
  if (typeof format !== "number" || format === 4) return;
  throw new InputError(`${name} is a notebook of format ${format}; only format 4 is read.`, {
    code: "OldNotebook",
    hint: "Convert it with: jupyter nbconvert --to notebook --nbformat 4",
  });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

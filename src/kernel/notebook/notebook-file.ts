import { readFile, writeFile } from "node:fs/promises";
import { DataError, InputError } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import type { Json } from "../protocol/message.js";
import { MINOR_WITH_IDS, notebookFaults } from "./notebook-faults.js";

/** Text as a notebook stores it: a string, or its lines including their line ends. */
export type MultilineText = string | readonly string[];

/** A MIME bundle: one value in several formats. */
export type MimeBundle = { readonly [mime: string]: Json };

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

/** A cell. Cell types of a later minor version are kept unchanged. */
export interface NotebookCell {
  readonly cell_type: string;
  readonly id?: string;
  readonly metadata: MimeBundle;
  readonly source: MultilineText;
  readonly attachments?: { readonly [name: string]: MimeBundle };
  readonly outputs?: readonly Output[];
  readonly execution_count?: number | null;
}

/** A notebook of format 4, in the shape of its JSON file. */
export interface Notebook {
  readonly nbformat: 4;
  readonly nbformat_minor: number;
  readonly metadata: MimeBundle;
  readonly cells: readonly NotebookCell[];
}

/**
 * Reads and validates a notebook of format 4; cells without the id that format 4.5 requires get one.
 *
 * @throws {FileError} if it cannot be read
 * @throws {DataError} BadNotebook with the first invalid cell
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

/** As {@link readNotebook}, for text in memory; `name` is the file name for messages. */
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
  const whole = withIds(raw);
  const faults = notebookFaults(whole);
  if (faults.length > 0) {
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
    throw new DataError(`${name} is not a valid notebook: ${faults[0]}${more}.`, { code: "BadNotebook" });
  }
  return whole as Notebook;
}

/**
 * Formats a notebook as Jupyter does, with sorted keys and one space of indentation, so that a run changes only what it
 * must.
 */
export function formatNotebook(notebook: Notebook): string {
  return `${JSON.stringify(sorted(notebook), null, 1)}\n`;
}

/**
 * Writes `notebook` to `path`.
 *
 * @throws {FileError} if the file system reports an error
 */
export async function writeNotebook(path: string, notebook: Notebook): Promise<void> {
  try {
    await writeFile(path, formatNotebook(notebook));
  } catch (error) {
    throw fileError(path, "write", error, { what: "notebook" });
  }
}

export function joined(text: MultilineText): string {
  return typeof text === "string" ? text : text.join("");
}

/** Splits text into lines, including their line ends. */
export function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

/**
 * The notebook with ids for cells that lack them, which formats from 4.5 on require and some programs omit. An id is
 * made from the number of the cell, so that another run writes the same file.
 */
export function withIds(raw: unknown): unknown {
  if (typeof raw !== "object" || raw === null) return raw;
  const { nbformat_minor: minor, cells } = raw as { nbformat_minor?: unknown; cells?: unknown };
  if (typeof minor !== "number" || minor < MINOR_WITH_IDS || !Array.isArray(cells)) return raw;
  const taken = new Set(cells.map((cell) => (cell as { id?: unknown } | null)?.id));
  const idFor = (number: number): string => {
    const id = `cell-${number}`;
    return taken.has(id) ? idFor(number + cells.length) : id;
  };
  return {
    ...raw,
    cells: cells.map((cell: unknown, index) =>
      typeof cell === "object" && cell !== null && !Array.isArray(cell) && !("id" in cell)
        ? { id: idFor(index + 1), ...cell }
        : cell,
    ),
  };
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

import { DataError } from "../errors/errors.js";
import { type CsvCell, csvRecords, firstRecord } from "../format/csv-records.js";
import { checkUtf8 } from "../format/json.js";
import type { Field } from "../spec/resources.js";
import { JSONNode } from "./json.js";
import { readLiteral } from "./literal.js";
import { type Node, type Rows, shapeError } from "./node.js";

/** A metadata reply in CSV: one header line of member names and one row (spec 1, 2.7, 2.8). */
export function csvNode(text: string, quotesEmptyText: boolean): Node {
  const [header, row, more] = csvRecords(text);
  if (header === undefined || row === undefined) throw shapeError("has no header line and row", "");
  if (more !== undefined) throw shapeError("has more than one row", "");
  if (header.length !== row.length) throw shapeError(`has ${header.length} names and ${row.length} cells`, "");
  const cells = new Map<string, CsvCell>();
  for (const [i, { text: name }] of header.entries()) {
    if (cells.has(name)) throw shapeError(`has the column "${name}" twice`, "");
    cells.set(name, row[i]);
  }
  return new CsvNode(cells, "", quotesEmptyText);
}

/**
 * Parses the header line of a CSV reply.
 *
 * @throws {DataError} BadUtf8, BadCsv
 */
export function csvHeader(bytes: Uint8Array): readonly string[] {
  const { cells, end } = firstRecord(bytes, true) ?? { cells: [], end: 0 };
  checkUtf8(bytes.subarray(0, end));
  return cells;
}

/** An object whose members are cells of the row, or such a cell; nested members have dotted names. */
class CsvNode implements Node {
  constructor(
    private readonly cells: ReadonlyMap<string, CsvCell>,
    readonly where: string,
    private readonly quotesEmptyText: boolean,
  ) {}

  isNull(field: Field): boolean {
    const cell = this.cells.get(this.where);
    if (cell === undefined || field.kind === "object") return false;
    if (cell.text !== "" || (cell.quoted && this.quotesEmptyText)) return false;
    return field.kind !== "string" || field.nullable === true;
  }

  member(name: string, field: Field): Node | undefined {
    const full = this.where === "" ? name : `${this.where}.${name}`;
    if (field.kind === "object" && field.csv === "flat") return this;
    if (field.kind === "object" && field.csv === "dotted") {
      const some = [...this.cells.keys()].some((key) => key.startsWith(`${full}.`));
      return some ? new CsvNode(this.cells, full, this.quotesEmptyText) : undefined;
    }
    const cell = this.cells.get(full);
    if (cell === undefined) return undefined;
    if (field.kind !== "object" && field.kind !== "texts" && field.kind !== "columns") {
      return new CsvNode(this.cells, full, this.quotesEmptyText);
    }
    return cell.text === "" && field.kind !== "object" ? new JSONNode([], full) : literalNode(cell.text, full);
  }

  items(): readonly Node[] {
    throw shapeError("is not a list", this.where);
  }

  text(): string {
    const cell = this.cells.get(this.where);
    if (cell === undefined) throw shapeError("is not a single value", this.where);
    return cell.text;
  }

  rows(): Rows {
    throw shapeError("has no rows", this.where);
  }
}

function literalNode(text: string, where: string): Node {
  const value = readLiteral(text);
  if (value === undefined || typeof value === "string") {
    throw new DataError(`The cell "${where}" of the reply is not a valid list.`, {
      code: "UnexpectedShape",
      column: where,
      value: text,
      hint: 'Request this metadata in another format: .format("json").',
    });
  }
  return new JSONNode(value, where);
}

import { DataError } from "../../errors/errors.js";
import { utf8Bytes, utf8Text } from "../../platform/node/bytes.js";
import { XML_DONE, XML_END, XML_START, XML_TEXT, XMLCursor, type XMLFragment } from "./cursor.js";
import { decodeXML, readNil } from "./text.js";

/** The attributes of spec 1 and of XML Schema. */
const NIL_NAMES = [utf8Bytes("nil"), utf8Bytes("xsi:nil")];

/**
 * Reads the rows in the content of a list element cell by cell, directly from its bytes: every child element is a row
 * and every element in it a cell; their names do not matter. A cell is its decoded text, or null if it has `nil="true"`
 * (spec 1).
 */
export class XMLRows {
  /** The decoded text of the cell: UTF-8 from `start` to `end` of `cell`, valid until the next cell. */
  cell: Uint8Array;
  start = 0;
  end = 0;
  isNull = false;
  /** Offsets in the reply of the elements of the cell and of the row. */
  offset = 0;
  rowOffset = 0;

  private readonly cursor: XMLCursor;
  private row = -1;
  private scratch: Uint8Array = new Uint8Array(256);

  constructor(private readonly fragment: XMLFragment) {
    const { bytes, start, end, version } = fragment;
    this.cell = bytes;
    this.cursor = new XMLCursor(bytes, start, end, version, true);
  }

  /**
   * Advances to the next row; false if there is none.
   *
   * @throws {DataError} BadXml for text between rows
   */
  nextRow(): boolean {
    this.row++;
    const isThere = this.nextElement();
    this.rowOffset = this.cursor.tokenStart;
    return isThere;
  }

  /**
   * Advances to the next cell of the row; false after the last one.
   *
   * @throws {DataError} BadXml for text between cells, an element inside a cell, and a null cell with text
   */
  nextCell(): boolean {
    if (!this.nextElement()) return false;
    this.offset = this.cursor.tokenStart;
    this.isNull = this.readNil();
    this.readText();
    if (this.isNull && !isBlank(this.cell, this.start, this.end)) {
      throw this.error(`a null cell that holds ${JSON.stringify(this.text())}`, this.offset);
    }
    return true;
  }

  private readNil(): boolean {
    for (const name of NIL_NAMES) {
      const value = this.cursor.attribute(name);
      if (value === undefined) continue;
      const isNull = readNil(value);
      if (isNull === undefined) throw this.error(`a cell with nil=${JSON.stringify(value)}`, this.offset);
      return isNull;
    }
    return false;
  }

  text(): string {
    return utf8Text(this.cell, this.start, this.end);
  }

  /** Enters the next element; false at the end of its parent. */
  private nextElement(): boolean {
    const { cursor } = this;
    for (let token = cursor.next(); ; token = cursor.next()) {
      if (token === XML_START) return true;
      if (token === XML_END || token === XML_DONE) return false;
      this.setText();
      if (isBlank(this.cell, this.start, this.end)) continue;
      throw this.error(`text between the cells: ${JSON.stringify(this.text().trim())}`, cursor.tokenStart);
    }
  }

  /** Reads the content of the cell that just started, up to its end tag. */
  private readText(): void {
    const { cursor } = this;
    let token = cursor.next();
    if (token === XML_END) {
      this.start = this.end = 0;
      return;
    }
    if (token === XML_TEXT) {
      this.setText();
      token = cursor.next();
    }
    for (; token !== XML_END; token = cursor.next()) {
      if (token !== XML_TEXT) throw this.error("an element inside a cell", cursor.tokenStart);
      this.addText();
    }
  }

  /** Stores the cursor's text as that of the cell. */
  private setText(): void {
    const { cursor } = this;
    if (cursor.isPlain) {
      this.cell = this.fragment.bytes;
      this.start = cursor.textStart;
      this.end = cursor.textEnd;
    } else {
      this.start = this.end = 0;
      this.addText();
    }
  }

  /** Appends the cursor's text to that of the cell. */
  private addText(): void {
    const { cursor, cell, start, end } = this;
    const { textStart, textEnd } = cursor;
    const length = end - start;
    if (this.scratch.length < length + textEnd - textStart) {
      this.scratch = new Uint8Array((length + textEnd - textStart) * 2);
    }
    if (cell !== this.scratch || start !== 0) this.scratch.set(cell.subarray(start, end));
    this.cell = this.scratch;
    this.start = 0;
    const text = { bytes: this.scratch, end: length };
    decodeXML(cursor.b, textStart, textEnd, cursor.isCdata ? "cdata" : "text", text);
    this.end = text.end;
  }

  private error(what: string, offset: number): DataError {
    return new DataError(`Row ${this.row} of the XML reply has ${what} (byte ${offset}).`, {
      code: "BadXml",
      row: this.row,
      offset,
      hint: "A row is an element whose child elements are its cells.",
    });
  }
}

/** Whether the range contains only white space. */
function isBlank(b: Uint8Array, start: number, end: number): boolean {
  for (let p = start; p < end; p++) if (b[p] !== 0x20 && b[p] !== 0x0a && b[p] !== 0x09 && b[p] !== 0x0d) return false;
  return true;
}

import { inspect } from "node:util";
import type { Data, RecordBatch, Table } from "../../columns/arrow/arrow.js";
import { distinctNames, namesOf } from "../../columns/arrow/column-names.js";
import { sliceData } from "../../columns/arrow/record-batch.js";
import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { numberGetter } from "./number-getter.js";
import { type Cell, cellReader } from "./rows.js";

type Read = (row: number) => Cell;

/** The row and the rows of a batch that are being read, and the current view. */
interface Cursor {
  view: object | undefined;
  /** Within the batch. */
  row: number;
  columns: readonly Data[];
  /** The readers of the batch's columns, each created on the first access to the column. */
  cells: (Read | undefined)[];
  /** The method that calls back, for messages. */
  where: string;
}

/** What creates the views of a table. */
interface ViewFactory {
  readonly cursor: Cursor;
  readonly create: () => object;
}

/** By table, so that a callback that is called again gets views of the hidden class that it was compiled for. */
const factories = { inOrder: new WeakMap<Table, ViewFactory>(), anyOrder: new WeakMap<Table, ViewFactory>() };

/** The factory of a table's views; a separate one for a call inside the callback of another. */
function factoryOf(table: Table, inOrder: boolean): ViewFactory {
  const ofTables = inOrder ? factories.inOrder : factories.anyOrder;
  const known = ofTables.get(table);
  if (known !== undefined && known.cursor.view === undefined) return known;
  const cursor: Cursor = { view: undefined, row: 0, columns: [], cells: [], where: "" };
  const factory = { cursor, create: viewsOf(table, cursor, inOrder) };
  if (known === undefined) ofTables.set(table, factory);
  return factory;
}

/** Rows of a batch. */
interface Piece {
  readonly children: readonly Data[];
  readonly length: number;
}

/** Rows entered at once: what is converted for them stays within the processor's cache. */
const ENTERED_ROWS = 65_536;

function piecesOf({ data: { children, length } }: RecordBatch): Piece[] {
  if (length <= ENTERED_ROWS) return [{ children, length }];
  return Array.from({ length: Math.ceil(length / ENTERED_ROWS) }, (_, i) => {
    const from = i * ENTERED_ROWS;
    const rows = Math.min(ENTERED_ROWS, length - from);
    return { children: children.map((data) => sliceData(data, from, rows)), length: rows };
  });
}

/** Marks a cursor as in use before the first row. */
const NO_VIEW = {};

/**
 * Views are reused in an irregular order (2^32 by the golden ratio), so that callbacks that keep rows at regular
 * intervals do not get the same view twice.
 */
const STEP = 0x9e3779b1 | 0;
const MOST_VIEWS = 64;
/** With so many views for each row, no two rows of a short table have the same one. */
const APART = 2.7;

/**
 * The rows of a table as views for a callback: objects with the members of `rows()` whose cells are read on access. A
 * view is valid only during its call; reading a kept one is an error. All views of one call have the same hidden class,
 * so that the compiled callback reads a cell without a lookup.
 */
export class RowViews<Row> {
  private readonly cursor: Cursor;
  private readonly views: readonly object[];
  private readonly shift: number;
  private readonly readers: (Read | undefined)[][] = [];
  private readonly starts: Int32Array;
  private turn = 0;
  /** The rows of the batch that was entered: from this one to another (exclusive). */
  from = 0;
  to = 0;

  private readonly pieces: readonly Piece[];

  /**
   * @param where the method that calls back, for messages
   * @param inOrder whether the views are those of all rows, one after the other
   */
  constructor(table: Table, where: string, inOrder: boolean) {
    const { numRows } = table;
    this.pieces = table.batches.flatMap(piecesOf);
    this.starts = new Int32Array(this.pieces.length + 1);
    for (const [i, { length }] of this.pieces.entries()) this.starts[i + 1] = this.starts[i] + length;
    const { cursor, create } = factoryOf(table, inOrder);
    cursor.view = NO_VIEW;
    cursor.where = where;
    this.cursor = cursor;
    const bits = Math.max(1, Math.ceil(Math.log2(Math.min(MOST_VIEWS, numRows * APART))));
    this.shift = 32 - bits;
    this.views = Array.from({ length: 2 ** bits }, create);
  }

  /** Returns the view of a row of the batch that was entered; invalidates the previous one. */
  at(row: number): Row {
    const { cursor } = this;
    const view = this.views[Math.imul(this.turn++, STEP) >>> this.shift];
    cursor.row = row - this.from;
    cursor.view = view;
    return view as Row;
  }

  /** Ends the call: all kept views throw from now on. */
  close(): void {
    this.cursor.view = undefined;
    this.cursor.columns = [];
    this.cursor.cells = [];
  }

  /** Enters the batch that holds a row. A separate call, so that {@link at} is compiled into loops over rows. */
  enter(row: number): void {
    let low = 0;
    let high = this.starts.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= row) low = middle;
      else high = middle - 1;
    }
    this.from = this.starts[low];
    this.to = this.starts[low + 1];
    const { children } = this.pieces[low];
    let cells = this.readers[low];
    if (cells === undefined) {
      cells = new Array<Read | undefined>(children.length).fill(undefined);
      this.readers[low] = cells;
    }
    this.cursor.columns = children;
    this.cursor.cells = cells;
  }
}

/** Creates views with the members of a table's rows, all with the same hidden class. */
function viewsOf(table: Table, cursor: Cursor, inOrder: boolean): () => object {
  const names = distinctNames(namesOf(table));
  const refuse = (): never => {
    throw expiredRow(cursor.where);
  };
  const members: [string | symbol, PropertyDescriptor][] = names.map((name, column) => [
    name,
    {
      enumerable: true,
      get:
        numberGetter(table, column, cursor, inOrder, refuse) ??
        function (this: object): Cell {
          if (this !== cursor.view) refuse();
          return (cursor.cells[column] ?? opened(cursor, column))(cursor.row);
        },
    },
  ]);
  members.push([
    inspect.custom,
    {
      enumerable: false,
      value(this: object): unknown {
        return this === cursor.view ? { ...this } : `[row of ${cursor.where} that is no longer valid]`;
      },
    },
  ]);
  // A constructor per factory: getters of another one under the same names would need another hidden class.
  const View = function (this: object): void {} as unknown as new () => object;
  View.prototype = withoutOtherMembers(names, cursor);
  return () => {
    const view = new View();
    for (const [name, member] of members) Object.defineProperty(view, name, member);
    return Object.preventExtensions(view);
  };
}

/** Members that the language itself looks for in any object. */
const LOOKED_FOR = new Set(["toJSON", "then"]);

/** The prototype of views: a member that is neither a column nor of every object is a misspelt column. */
function withoutOtherMembers(names: readonly string[], cursor: Cursor): object {
  return new Proxy(Object.create(Object.prototype), {
    get(target, member, view): unknown {
      if (typeof member === "symbol" || member in target || LOOKED_FOR.has(member)) {
        return Reflect.get(target, member, view);
      }
      throw new InputError(`The rows of ${cursor.where} have no column ${JSON.stringify(member)}.`, {
        code: "UnknownColumn",
        column: member,
        hint: suggestion(member, names, "columns"),
      });
    },
  });
}

function opened(cursor: Cursor, column: number): Read {
  const read = cellReader(cursor.columns[column]);
  cursor.cells[column] = read;
  return read;
}

function expiredRow(where: string): InputError {
  return new InputError(`A row of ${where} was read after the call that received it.`, {
    code: "KeptRow",
    hint: "A row passed to a callback is valid only during that call; keep a copy: { ...row }.",
  });
}

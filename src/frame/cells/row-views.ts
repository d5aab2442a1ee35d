import type { RecordBatch, Table } from "../../columns/arrow/arrow.js";
import { distinctNames, namesOf } from "../../columns/arrow/column-names.js";
import { INSPECT } from "../../display/base/show.js";
import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { newState, numberGetter, ROW, type Turn, VIEW, VIEW_NUMBER, type View } from "./number-getter.js";
import { type Cell, cellReader } from "./rows.js";

type Read = (row: number) => Cell;

/** What the views of a table read, and for messages the method that calls back. */
interface Cursor extends Turn {
  /** The readers of the batch's columns, each created on the first access to the column. */
  cells: (Read | undefined)[];
  where: string;
}

interface ViewFactory {
  readonly cursor: Cursor;
  /** Never read: V8 discards compiled code once no object has the hidden class that it was compiled for. */
  readonly sample: object;
  readonly create: (number: number) => object;
}

/** By table, so that a callback that is called again gets views of the hidden class that it was compiled for. */
const factories = new WeakMap<Table, ViewFactory>();

/** The factory of a table's views; a separate one for a call inside the callback of another. */
function factoryOf(table: Table): ViewFactory {
  const known = factories.get(table);
  if (known !== undefined && known.cursor.state[VIEW] === NO_VIEW) return known;
  const cursor: Cursor = {
    state: newState(),
    columns: [],
    cells: [],
    where: "",
    refuse: () => {
      throw expiredRow(cursor.where);
    },
  };
  const create = viewsOf(table, cursor);
  const factory = { cursor, sample: create(NO_VIEW), create };
  if (known === undefined) factories.set(table, factory);
  return factory;
}

/** Rows entered at once, at most. */
const ENTERED_ROWS = 65_536;

/** The number of no view, before and after a call. */
const NO_VIEW = 0;
/** The number of no view in a call that has not come to its first row. */
const BEFORE_ALL = -1;

let nextView = 1;
const MOST_NUMBERS = 2 ** 30;

/**
 * Views are reused in an irregular order (2^32 by the golden ratio), so that callbacks that keep rows at regular
 * intervals do not get the same view twice.
 */
const STEP = 0x9e3779b1 | 0;
const MOST_VIEWS = 64;
/** Views per row of a short table, so that no two rows share one. */
const APART = 2.7;

/**
 * The rows of a table as views for a callback: objects with the members of `rows()` whose cells are read on access. A
 * view is valid only during its call; reading a kept one is an error. All views of one call have the same hidden class,
 * so that the compiled callback reads a cell without a lookup.
 */
export class RowViews<Row> {
  private readonly cursor: Cursor;
  private readonly state: Int32Array;
  private readonly views: readonly object[];
  private readonly firstView: number;
  private readonly shift: number;
  private readonly batches: readonly RecordBatch[];
  private readonly readers: (Read | undefined)[][] = [];
  /** Where the batches begin, and the end. */
  private readonly starts: Int32Array;
  /** Where the batch that was entered begins. */
  private start = 0;
  /** The rows that were entered: from this one to another (exclusive). */
  from = 0;
  to = 0;

  /** @param where the method that calls back, for messages */
  constructor(table: Table, where: string) {
    const { numRows, batches } = table;
    this.batches = batches;
    this.starts = new Int32Array(batches.length + 1);
    for (const [i, batch] of batches.entries()) this.starts[i + 1] = this.starts[i] + batch.numRows;
    const { cursor, create } = factoryOf(table);
    this.cursor = cursor;
    this.state = cursor.state;
    this.state[VIEW] = BEFORE_ALL;
    cursor.where = where;
    const bits = Math.max(1, Math.ceil(Math.log2(Math.min(MOST_VIEWS, numRows * APART))));
    this.shift = 32 - bits;
    if (nextView > MOST_NUMBERS) nextView = 1;
    this.firstView = nextView;
    this.views = Array.from({ length: 2 ** bits }, () => create(nextView++));
  }

  /**
   * Returns the view of a row of those that were entered; invalidates the previous one.
   *
   * @param turn a number that only this row of the call has
   */
  at(row: number, turn = row): Row {
    const { state } = this;
    const view = Math.imul(turn, STEP) >>> this.shift;
    state[ROW] = row - this.start;
    state[VIEW] = this.firstView + view;
    return this.views[view] as Row;
  }

  /** Ends the call: all kept views throw from now on. */
  close(): void {
    this.state[VIEW] = NO_VIEW;
    this.cursor.columns = [];
    this.cursor.cells = [];
  }

  /**
   * Enters rows of the batch that holds a row, up to 65,536. A separate call, so that {@link at} is compiled into loops
   * over rows.
   */
  enter(row: number): void {
    const low = this.batchOf(row);
    const { cursor } = this;
    const { children } = this.batches[low].data;
    this.start = this.starts[low];
    this.from = this.start + Math.floor((row - this.start) / ENTERED_ROWS) * ENTERED_ROWS;
    this.to = Math.min(this.starts[low + 1], this.from + ENTERED_ROWS);
    this.readers[low] ??= new Array<Read | undefined>(children.length).fill(undefined);
    cursor.columns = children;
    cursor.cells = this.readers[low];
  }

  private batchOf(row: number): number {
    let low = 0;
    let high = this.starts.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Creates views with the members of a table's rows, all with the same hidden class. */
function viewsOf(table: Table, cursor: Cursor): ViewFactory["create"] {
  const names = distinctNames(namesOf(table));
  const { state } = cursor;
  const getters = gettersOf(table, cursor);
  const members = names.map((name, column): [string, PropertyDescriptor] => [
    name,
    { enumerable: true, get: getters[column] as () => Cell },
  ]);
  const shown = {
    enumerable: false,
    value(this: View): unknown {
      return this[VIEW_NUMBER] === state[VIEW] ? { ...this } : `[row of ${cursor.where} that is no longer valid]`;
    },
  };
  // A constructor per factory: getters of another one under the same names would need another hidden class.
  const View = function (this: object): void {} as unknown as new () => object;
  View.prototype = withoutOtherMembers(names, cursor);
  return (number) => {
    const view = new View();
    for (const [name, member] of members) Object.defineProperty(view, name, member);
    Object.defineProperty(view, INSPECT, shown);
    Object.defineProperty(view, VIEW_NUMBER, { enumerable: false, value: number });
    return Object.preventExtensions(view);
  };
}

function gettersOf(table: Table, cursor: Cursor): ((this: View) => Cell)[] {
  const { state } = cursor;
  return table.schema.fields.map((_, column) => {
    const plain = function (this: View): Cell {
      if (this[VIEW_NUMBER] !== state[VIEW]) cursor.refuse();
      return (cursor.cells[column] ?? opened(cursor, column))(state[ROW]);
    };
    return numberGetter(table, column, cursor) ?? plain;
  });
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

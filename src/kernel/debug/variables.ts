import { inspect } from "node:util";

/** One line of the variables view, as the debugger protocol names its members. */
export type Variable = {
  readonly name: string;
  readonly value: string;
  /** Only for values with members: JupyterLab's tree shows a type in place of the value. */
  readonly type?: string;
  /** The reference by which its members can be requested; 0 if it has none. */
  readonly variablesReference: number;
  readonly evaluateName?: string;
};

const LONGEST_VALUE = 120;
const MOST_MEMBERS = 200;
/** Names of the kernel and of tslab among the values of cells. */
const HIDDEN = /^(tsLastExpr\d*|__tslab__|__esModule|_?default)$/;

/** Names that the compiler adds to the functions of cells and local files. */
const ADDED =
  /^(?:\$(?:earlier|imported|load|meta|own|module)[_\d]*|exports|require|module|__filename|__dirname|arguments|this)$/;

export function isHidden(name: string): boolean {
  return HIDDEN.test(name);
}

/** @param names the names that cells declared, in order; `valueOf` has their values */
export function variablesOf(names: () => readonly string[], value: (name: string) => unknown) {
  let references: unknown[] = [];

  const line = (name: string, held: unknown, evaluateName?: string): Variable => {
    const hasMembers = typeof held === "object" && held !== null && membersOf(held).length > 0;
    return {
      name,
      value: safely(() => briefly(held)),
      ...(hasMembers ? { type: safely(() => typeOf(held)) } : {}),
      variablesReference: hasMembers ? references.push(held) : 0,
      ...(evaluateName === undefined ? {} : { evaluateName }),
    };
  };

  return {
    /** The variables that cells declared. References of earlier calls become invalid, unless `keep` is set. */
    list(keep = false): Variable[] {
      if (!keep) references = [];
      return names()
        .filter((name) => !isHidden(name))
        .map((name) => line(name, value(name), name));
    },
    /** The variables in a scope of a stopped function, but for those of the compiler and those without a value yet. */
    scope(holder: object): Variable[] {
      return Object.getOwnPropertyNames(holder).flatMap((name) => {
        if (isHidden(name) || ADDED.test(name)) return [];
        try {
          return [line(name, (holder as Record<string, unknown>)[name], name)];
        } catch {
          return [];
        }
      });
    },
    described: (held: unknown): Variable => line("", held),
    /** The members of a value; none for an unknown reference. */
    members(reference: number): Variable[] {
      const held = references[reference - 1];
      return typeof held === "object" && held !== null
        ? membersOf(held).map(([name, member]) => line(name, member))
        : [];
    },
  };
}

/** Frames, columns and Arrow tables, by their shape: they may be of another copy of their library. */
interface Tabular {
  readonly numRows: number;
  readonly numCols?: number;
  readonly numColumns?: number;
}

function shapeOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return `${(value as { length?: number }).length ?? ""}`;
  if (value instanceof Map || value instanceof Set) return String(value.size);
  if (!("numRows" in value)) return undefined;
  const { numRows, numCols, numColumns = numCols } = value as Tabular;
  return typeof numRows === "number" && typeof numColumns === "number" ? `${numRows} × ${numColumns}` : undefined;
}

/** The class of a value with its shape: `Frame (6522 × 8)`, `Array (3)`, `string`. */
function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "function")
    return /^class\b/.test(Function.prototype.toString.call(value)) ? "class" : "function";
  if (typeof value !== "object") return typeof value;
  const shape = shapeOf(value);
  const name = value.constructor?.name || "Object";
  return shape === undefined ? name : `${name} (${shape})`;
}

/** One line about a value. Objects of this package have a short form of their own. */
function briefly(value: unknown): string {
  if (typeof value === "function") return `${typeOf(value)} ${value.name}`;
  const own = (value as { [inspect.custom]?: unknown } | null | undefined)?.[inspect.custom];
  // A nested value is shown in its short form.
  const text =
    typeof own === "function"
      ? inspect([value], { depth: 0, breakLength: Number.POSITIVE_INFINITY }).replace(/^\[ ?([\s\S]*?) ?\]$/, "$1")
      : inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 20, maxStringLength: 200 });
  const oneLine = text.replace(/\s+/g, " ").replace(/^\[(.*)\]$/, typeof own === "function" ? "$1" : "[$1]");
  return oneLine.length > LONGEST_VALUE ? `${oneLine.slice(0, LONGEST_VALUE - 1)}…` : oneLine;
}

/** The members of a value: columns of a frame, entries of a map, own properties; getters are not called. */
function membersOf(value: object): [string, unknown][] {
  try {
    if (value instanceof Map) return [...value].slice(0, MOST_MEMBERS).map(([key, member]) => [inspect(key), member]);
    if (value instanceof Set) return [...value].slice(0, MOST_MEMBERS).map((member, i) => [String(i), member]);
    if ("numRows" in value && "columns" in value && "column" in value) return columnsOf(value as unknown as FrameLike);
    if (ArrayBuffer.isView(value)) {
      return Array.from(value as unknown as ArrayLike<unknown>)
        .slice(0, MOST_MEMBERS)
        .map((item, i) => [String(i), item]);
    }
    return Object.entries(Object.getOwnPropertyDescriptors(value))
      .filter(([, { enumerable, get }]) => enumerable && get === undefined)
      .slice(0, MOST_MEMBERS)
      .map(([name, { value: member }]) => [name, member]);
  } catch {
    return []; // A proxy that throws.
  }
}

interface FrameLike {
  readonly columns: readonly { readonly name: string }[];
  column(at: number): unknown;
}

function columnsOf(frame: FrameLike): [string, unknown][] {
  return frame.columns.slice(0, MOST_MEMBERS).map(({ name }, i) => [name, frame.column(i)]);
}

function safely(show: () => string): string {
  try {
    return show();
  } catch (error) {
    return `(${error instanceof Error ? error.message : "cannot be shown"})`;
  }
}

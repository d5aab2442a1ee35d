import { setTimeout as sleep } from "node:timers/promises";
import type { CellCompiler, ValueTypes } from "../compiler/cell-compiler.js";
import type { Content } from "../protocol/message.js";
import type { InterruptState } from "./interrupt-state.js";
import type { Remote } from "./remote.js";

/** What the thread of the cells adds to a completion or an inspection. */
export interface Hints {
  /** The codes that complete the code of a table, series or database, and where they begin. */
  readonly codes?: { readonly matches: readonly string[]; readonly start: number };
  /** Declarations with the columns of what the cell names. */
  readonly declarations?: string;
  readonly values?: ValueTypes;
}

/** The part of the thread of the cells that gives them; positions are in UTF-16 units. */
export interface CellHints {
  hints(code: string, position: number, isCompletion: boolean): Promise<Hints>;
}

const LOOK_MS = 4;
/** How long a request waits for hints while a cell runs, and while none does. */
const BUSY_MS = 12;
const PATIENCE_MS = 600;

/** Answers the requests about code, in a thread of its own: also while a cell runs. */
export class Language {
  constructor(
    private readonly compiler: CellCompiler,
    private readonly cells: Remote<CellHints>,
    private readonly state: InterruptState,
  ) {}

  /** The content of the reply. */
  async reply(type: string, content: Content): Promise<Content> {
    const code = String(content["code"] ?? "");
    const position = toUnits(code, Number(content["cursor_pos"] ?? code.length));
    if (type === "is_complete_request") {
      const { indent } = this.compiler.isComplete(code);
      return indent === undefined ? { status: "complete" } : { status: "incomplete", indent };
    }
    const isCompletion = type === "complete_request";
    const { codes, declarations, values } = await this.#hints(code, position, isCompletion);
    if (codes !== undefined) return completeReply(code, codes.start, position, codes.matches, () => "value");
    if (isCompletion) {
      const { start, end, candidates } = this.compiler.complete(code, position, declarations, values);
      const kinds = new Map(candidates.map(({ name, kind }) => [name, kindName(kind)]));
      return completeReply(code, start, end, [...kinds.keys()], (name) => kinds.get(name)!);
    }
    const text = this.compiler.inspect(code, position, declarations, values);
    return { status: "ok", found: text !== "", data: text === "" ? {} : { "text/plain": text }, metadata: {} };
  }

  /** What the cells' thread adds; nothing if a cell keeps it busy. */
  async #hints(code: string, position: number, isCompletion: boolean): Promise<Hints> {
    let found: Hints | undefined;
    const asked = this.cells.call("hints", code, position, isCompletion).then(
      (hints) => {
        found = hints;
      },
      () => {
        found = {};
      },
    );
    for (let waited = 0; found === undefined; waited += LOOK_MS) {
      if (waited >= (this.state.running() === "idle" ? PATIENCE_MS : BUSY_MS)) break;
      await Promise.race([asked, sleep(LOOK_MS)]);
    }
    return found ?? {};
  }
}

/** The reply with what replaces the code between two positions in UTF-16 units. */
function completeReply(
  code: string,
  from: number,
  to: number,
  matches: readonly string[],
  typeOf: (match: string) => string,
): Content {
  const [start, end] = [toPoints(code, from), toPoints(code, to)];
  // What front ends read to show an icon beside each match.
  const types = matches.map((text) => ({ text, type: typeOf(text), start, end }));
  const metadata = { _jupyter_types_experimental: types };
  return { status: "ok", matches: [...matches], cursor_start: start, cursor_end: end, metadata };
}

/** The compiler's kinds of symbols under the names that other kernels use. */
const KIND_NAMES: Readonly<Record<string, string>> = {
  method: "function",
  "local function": "function",
  "local class": "class",
  constructor: "function",
  getter: "property",
  setter: "property",
  const: "variable",
  let: "variable",
  var: "variable",
  "local var": "variable",
  parameter: "param",
  type: "interface",
  "type parameter": "interface",
  "primitive type": "keyword",
  "enum member": "property",
  string: "value",
  "external module name": "module",
  script: "path",
  directory: "path",
};

function kindName(kind: string): string {
  return KIND_NAMES[kind] ?? kind;
}

/** Number of code points before UTF-16 position `units`. */
function toPoints(text: string, units: number): number {
  return [...text.slice(0, units)].length;
}

/** Number of UTF-16 units of the first `points` code points. */
function toUnits(text: string, points: number): number {
  let units = 0;
  for (let left = points; left > 0 && units < text.length; left--) {
    units += text.codePointAt(units)! > 0xffff ? 2 : 1;
  }
  return units;
}

import type { CompilerState } from "../compiler/compiler-state.js";
import { cellFileName, type TslabParts } from "../compiler/tslab-parts.js";
import type { SignatureHelpItems } from "../compiler/typescript-parts.js";
import type { Content } from "../protocol/message.js";
import type { Executor } from "./executor.js";
import type { ServiceNames } from "./service-names.js";

/** The line that tslab puts before the source of a cell. */
const PREFIX = "export {};\n";

/** Handles `complete_request`; positions in the protocol count code points, here UTF-16 units. */
export function completion(executor: Executor, code: string, cursor: number, declarations: string): Content {
  const { start, end, candidates, original } = executor.complete(code, toUnits(code, cursor), declarations);
  const matches = candidates.filter((name) => !/^(tsLastExpr\d?|__tslab__)$/.test(name));
  const kinds = new Map(original?.entries?.map(({ name, kind }) => [name, kind]));
  return completeReply(code, start, end, matches, (name) => kindName(kinds.get(name)));
}

/** Completes the code of a table, series or database; undefined where the cursor is not in one, or none is known. */
export async function codeCompletion(names: ServiceNames, code: string, cursor: number): Promise<Content | undefined> {
  const before = code.slice(0, toUnits(code, cursor));
  const found = await names.codes(before);
  return found && completeReply(code, found.start, before.length, found.matches, () => "value");
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
  return { status: "ok", matches, cursor_start: start, cursor_end: end, metadata };
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

function kindName(kind: string | undefined): string {
  return kind === undefined ? "" : (KIND_NAMES[kind] ?? kind);
}

/** Handles `inspect_request`: type and documentation of the symbol at the cursor, and inside a call its parameters. */
export function inspection(
  {
    executor,
    tslab,
    state,
  }: { readonly executor: Executor; readonly tslab: TslabParts; readonly state: CompilerState },
  code: string,
  cursor: number,
  declarations: string,
): Content {
  const position = toUnits(code, cursor);
  const info = executor.inspect(code, position, declarations);
  const parts = [
    info === undefined ? undefined : tslab.printQuickInfo(info),
    signatureText(tslab, state, position + PREFIX.length),
  ].filter((part) => part !== undefined && part !== "");
  const text = [...new Set(parts)].join("\n\n").replace(/\{@link (\w+)\}/g, "$1");
  return { status: "ok", found: text !== "", data: text === "" ? {} : { "text/plain": text }, metadata: {} };
}

function signatureText(tslab: TslabParts, state: CompilerState, position: number): string | undefined {
  const { typescript } = tslab;
  const file = state.program?.getSourceFile(cellFileName(typescript.sys));
  if (file === undefined || state.program === undefined || typescript.SignatureHelp === undefined) return undefined;
  const help = typescript.SignatureHelp.getSignatureHelpItems(state.program, file, position, undefined, {
    isCancellationRequested: () => false,
    throwIfCancellationRequested: () => undefined,
  });
  return help === undefined ? undefined : printed(help);
}

/** The signature of a call with its parameters, the current one followed by its documentation. */
function printed(help: SignatureHelpItems): string {
  const item = help.items[help.selectedItemIndex];
  const text = (parts: readonly { readonly text: string }[]): string => parts.map((part) => part.text).join("");
  const parameters = item.parameters.map((parameter) => text(parameter.displayParts));
  const line =
    text(item.prefixDisplayParts) + parameters.join(text(item.separatorDisplayParts)) + text(item.suffixDisplayParts);
  const current = item.parameters[help.argumentIndex];
  const about = current === undefined ? "" : text(current.documentation);
  const documentation = text(item.documentation);
  return [
    line,
    current === undefined ? "" : `now: ${text(current.displayParts)}${about === "" ? "" : ` — ${about}`}`,
    documentation,
    help.items.length > 1 ? `(${help.selectedItemIndex + 1} of ${help.items.length} signatures)` : "",
  ]
    .filter((part) => part !== "")
    .join("\n");
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

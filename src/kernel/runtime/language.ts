import type { Content } from "../protocol/message.js";
import type { CompilerState } from "./compiler.js";
import type { Executor } from "./executor.js";
import type { TslabParts } from "./tslab-parts.js";
import type { SignatureHelp } from "./typescript-parts.js";

/** tslab puts this line before a cell's source. */
const PREFIX = "export {};\n";

/** Answers `complete_request`; positions on the wire count code points, in here UTF-16 units. */
export function completion(executor: Executor, code: string, cursor: number): Content {
  const { start, end, candidates } = executor.complete(code, toUnits(code, cursor));
  return {
    status: "ok",
    matches: candidates.filter((name) => !/^(tsLastExpr\d?|__tslab__)$/.test(name)),
    cursor_start: toPoints(code, start),
    cursor_end: toPoints(code, end),
    metadata: {},
  };
}

/** Answers `inspect_request`: type and documentation of the symbol at the cursor, inside a call also its parameters. */
export function inspection(
  executor: Executor,
  tslab: TslabParts,
  state: CompilerState,
  code: string,
  cursor: number,
): Content {
  const position = toUnits(code, cursor);
  const info = executor.inspect(code, position);
  const parts = [
    info === undefined ? undefined : tslab.printQuickInfo(info),
    signatureText(tslab, state, position + PREFIX.length),
  ].filter((part) => part !== undefined && part !== "");
  const text = [...new Set(parts)].join("\n\n");
  return { status: "ok", found: text !== "", data: text === "" ? {} : { "text/plain": text }, metadata: {} };
}

function signatureText(tslab: TslabParts, state: CompilerState, position: number): string | undefined {
  const { typescript } = tslab;
  const file = state.program?.getSourceFile(sourceName(typescript.sys));
  if (file === undefined || state.program === undefined || typescript.SignatureHelp === undefined) return undefined;
  const help = typescript.SignatureHelp.getSignatureHelpItems(state.program, file, position, undefined, {
    isCancellationRequested: () => false,
    throwIfCancellationRequested: () => undefined,
  });
  return help === undefined ? undefined : printed(help);
}

function sourceName(sys: TslabParts["typescript"]["sys"]): string {
  const folder = (sys["getCurrentDirectory"] as () => string)().replaceAll("\\", "/");
  return `${folder.replace(/\/$/, "")}/__tslab__.ts`;
}

/** A call's signature with its parameters, the one being written marked by its documentation. */
function printed(help: SignatureHelp): string {
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

/** Code points before UTF-16 position `units`. */
function toPoints(text: string, units: number): number {
  return [...text.slice(0, units)].length;
}

/** UTF-16 units of the first `points` code points. */
function toUnits(text: string, points: number): number {
  let units = 0;
  for (let left = points; left > 0 && units < text.length; left--) {
    units += text.codePointAt(units)! > 0xffff ? 2 : 1;
  }
  return units;
}

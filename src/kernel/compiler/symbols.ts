import type { Syntax, TypeScript } from "../install/installed-typescript.js";

/** What completes the name or text at a position; `start` and `end` are what it replaces in the cell. */
export interface Completion {
  readonly start: number;
  readonly end: number;
  readonly candidates: readonly { readonly name: string; readonly kind: string }[];
}

/** A position in the program of a service. */
type At = readonly [service: Syntax.LanguageService, file: string, position: number];

/** Completes the name at a position of a cell: names that begin with it come first, then those that contain it. */
export function completionAt(
  typescript: TypeScript,
  cell: Syntax.SourceFile,
  position: number,
  ...[service, file, place]: At
): Completion {
  const entries = service.getCompletionsAtPosition(file, place, {})?.entries ?? [];
  const identifier = identifierAt(typescript, cell, position);
  const name = identifier?.text.toLowerCase() ?? "";
  const rank = (entry: Syntax.CompletionEntry): number => {
    if (identifier === undefined || entry.name.startsWith(identifier.text)) return 0;
    const lower = entry.name.toLowerCase();
    return lower.startsWith(name) ? 1 : lower.includes(name) ? 2 : 3;
  };
  const candidates = entries
    .map((entry) => ({ entry, rank: rank(entry) }))
    .filter((each) => each.rank < 3)
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        compared(a.entry.sortText, b.entry.sortText) ||
        (identifier === undefined ? compared(a.entry.name, b.entry.name) : 0),
    )
    .map(({ entry: { name, kind } }) => ({ name, kind }));
  return { start: identifier?.getStart(cell) ?? position, end: identifier?.end ?? position, candidates };
}

const compared = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The identifier that contains a position or ends there. */
function identifierAt(
  typescript: TypeScript,
  file: Syntax.SourceFile,
  position: number,
): Syntax.Identifier | undefined {
  const search = (node: Syntax.Node): Syntax.Identifier | undefined => {
    if (typescript.isIdentifier(node)) return node.text === "" ? undefined : node;
    return typescript.forEachChild(node, (child) =>
      child.getStart(file) <= position && position <= child.end ? search(child) : undefined,
    );
  };
  return search(file);
}

export function quickInfoAt(...[service, file, position]: At): string {
  const info = service.getQuickInfoAtPosition(file, position);
  if (info === undefined) return "";
  const tags = (info.tags ?? []).flatMap(({ name, text }) => {
    const shown = textOf(text);
    return shown === "" ? [] : [name === "param" ? `@param ${shown}` : shown];
  });
  const about = [textOf(info.documentation), ...tags].filter((part) => part !== "").join("\n");
  return [textOf(info.displayParts), about].filter((part) => part !== "").join("\n\n");
}

/** The signature of a call with its parameters, the current one followed by its documentation. */
export function signatureAt(...[service, file, position]: At): string {
  const help = service.getSignatureHelpItems(file, position, undefined);
  if (help === undefined) return "";
  const item = help.items[help.selectedItemIndex];
  const parameters = item.parameters.map((parameter) => textOf(parameter.displayParts));
  const line =
    textOf(item.prefixDisplayParts) +
    parameters.join(textOf(item.separatorDisplayParts)) +
    textOf(item.suffixDisplayParts);
  const current = item.parameters[help.argumentIndex];
  const about = current === undefined ? "" : textOf(current.documentation);
  return [
    line,
    current === undefined ? "" : `now: ${textOf(current.displayParts)}${about === "" ? "" : ` — ${about}`}`,
    textOf(item.documentation),
    help.items.length > 1 ? `(${help.selectedItemIndex + 1} of ${help.items.length} signatures)` : "",
  ]
    .filter((part) => part !== "")
    .join("\n");
}

const textOf = (parts: readonly Syntax.SymbolDisplayPart[] = []): string => parts.map(({ text }) => text).join("");

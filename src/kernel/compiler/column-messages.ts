import { suggestion } from "../../errors/nearest.js";
import type { Syntax, TypeScript } from "../install/installed-typescript.js";

/** A compiler message about a cell or a local file. Lines and characters count from 0. */
export interface Diagnostic {
  readonly start: Place;
  readonly end: Place;
  readonly messageText: string;
  readonly code: number;
  /** The local file; undefined for the cell. */
  readonly fileName?: string;
}

interface Place {
  readonly line: number;
  readonly character: number;
  readonly offset: number;
}

const STRING = /"((?:[^"\\]|\\.)*)"/;
const WRONG = new RegExp(`ype '${STRING.source}' is not assignable to |NoSuchColumn<${STRING.source}, `);
/** The names of columns in a message: `ColumnName<"ticker" | "Adj. Close">`, or `ColumnName<"ticker">`. */
const COLUMNS = new RegExp(String.raw`\bColumnName<(${STRING.source}(?: \| ${STRING.source})*)>`);
/** The longest line of another message; the compiler itself ends types of more characters, and names with them. */
const MAX_LINE = 320;

/** A value of type string where the name of a column is expected. */
const ANY_NAME = /ype '(?:readonly )?string(?:\[\])?' is not assignable to .*\bColumnName</s;

/**
 * Whether a message refuses a column that may exist: its name is known only to the running code, or the frame is in a
 * variable of the cell, which may hold another one by then.
 */
export function mayBeColumn(typescript: TypeScript, program: Syntax.Program, found: Syntax.Diagnostic): boolean {
  const { file, start } = found;
  if (file === undefined || start === undefined) return false;
  const text = typescript.flattenDiagnosticMessageText(found.messageText, "\n");
  if (columnMessage(text) === undefined) return ANY_NAME.test(text);
  let node: Syntax.Node | undefined = nodeAt(typescript, file, start);
  while (node !== undefined && !typescript.isCallExpression(node)) node = node.parent;
  while (node !== undefined && !typescript.isIdentifier(node)) {
    if (!typescript.isCallExpression(node) && !typescript.isPropertyAccessExpression(node)) return false;
    node = node.expression;
  }
  const symbol = node === undefined ? undefined : program.getTypeChecker().getSymbolAtLocation(node);
  const declaration = symbol?.valueDeclaration;
  return (
    declaration !== undefined &&
    typescript.isVariableDeclaration(declaration) &&
    declaration.type === undefined &&
    (declaration.parent.flags & typescript.NodeFlags.Const) === 0
  );
}

/** The innermost node that begins at or spans a position. */
function nodeAt(typescript: TypeScript, file: Syntax.SourceFile, position: number): Syntax.Node {
  let found: Syntax.Node = file;
  for (let next: Syntax.Node | undefined = file; next !== undefined; ) {
    found = next;
    next = typescript.forEachChild(found, (child) =>
      child.getStart(file) <= position && position < child.end ? child : undefined,
    );
  }
  return found;
}

/**
 * One message for each place. One about a misspelt column, for which the compiler lists all columns, is short; another
 * consists of its first line and the last one, the reason.
 */
export function withColumnMessages(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const places = new Map<string, Diagnostic[]>();
  for (const found of diagnostics) {
    const place = `${found.fileName ?? ""}:${found.start.offset}`;
    places.set(place, [...(places.get(place) ?? []), found]);
  }
  return [...places.values()].map((all) => {
    const lines = all.flatMap(({ messageText }) => messageText.split("\n").map((line) => line.trim()));
    const messageText =
      columnMessage(lines.join("\n")) ??
      mergeMessage(lines[0]) ??
      [...new Set([lines[0], lines.at(-1)!])].map(clipped).join("\n  ");
    return { ...all[0], messageText };
  });
}

function columnMessage(text: string): string | undefined {
  const [, assigned, member] = WRONG.exec(text) ?? [];
  const wrong = assigned ?? member;
  const list = COLUMNS.exec(text)?.[1];
  if (wrong === undefined || list === undefined) return undefined;
  const names = [...list.matchAll(new RegExp(STRING, "g"))].map(([, name]) => name);
  if (names.includes(wrong)) return undefined;
  return `There is no column "${wrong}". ${suggestion(wrong, names, "columns")}`;
}

/** `merge` of other libraries, which a Frame has under two other names. */
const mergeMessage = (line: string): string | undefined =>
  /^Property 'merge' does not exist on type '(?:typeof )?Frame\b/.test(line)
    ? 'A Frame has no merge(). Did you mean a.join(b, { on: "ticker" }) or Frame.align([a, b])?'
    : undefined;

const clipped = (line: string): string => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line);

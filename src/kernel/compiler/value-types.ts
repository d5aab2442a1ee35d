import type { Syntax, TypeScript } from "../install/installed-typescript.js";
import type { Diagnostic } from "./column-messages.js";

/** The key under which values of this package report the types of their columns. */
const TYPE_ARGUMENTS = Symbol.for("arrowbook.typeArguments");

/** The longest type that is written into declarations: thousands of columns would slow down every cell. */
const LONGEST_TYPE = 100_000;

/** The type of rows whose columns the compiler does not have. */
export const OPEN_ROW = "Record<string, any>";

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Declarations in which values have specified row types. */
export interface NarrowedDeclarations {
  readonly text: string;
  /** The names whose type was specified, with the type that they had. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * The TypeScript types of a value's type parameters, such as the row type of a frame; undefined for other values, and
 * for queries whose metadata has not arrived.
 */
export function typeArguments(value: unknown): readonly string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const own = value as { [TYPE_ARGUMENTS]?: () => readonly string[] | undefined };
  const types = safely(() => own[TYPE_ARGUMENTS]?.(), undefined);
  return types !== undefined && types.join().length <= LONGEST_TYPE ? types : undefined;
}

/** The types of a value's columns, without the value: it may be in another thread. */
export interface DataTypes {
  /** The class of the value. */
  readonly of?: string;
  /** Its type arguments; undefined for a query whose metadata has not arrived. */
  readonly types?: readonly string[];
  /** The members that hold such values. */
  readonly members?: Readonly<Record<string, DataTypes>>;
}

const MOST_MEMBERS = 50;
const DEEPEST = 3;

/** The data types of a value and its members; undefined if it has none. Getters are not called. */
export function dataTypes(value: unknown, depth = DEEPEST): DataTypes | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) {
    return undefined;
  }
  return safely(() => {
    if (TYPE_ARGUMENTS in value) return { of: value.constructor?.name, types: typeArguments(value) };
    if (depth === 0 || (depth === DEEPEST && !Object.hasOwn(value, "frame"))) return undefined;
    const names = Object.keys(value).slice(0, MOST_MEMBERS);
    const members = names.flatMap((name) => {
      const found = dataTypes(Object.getOwnPropertyDescriptor(value, name)?.value, depth - 1);
      return found === undefined ? [] : [[name, found] as const];
    });
    return members.length === 0 ? undefined : { members: Object.fromEntries(members) };
  }, undefined);
}

/** A user's value may be a proxy that throws. */
function safely<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/**
 * Specifies unknown row types in declarations (`Frame<Record<string, Cell>>`) from the values: `value` returns the
 * value of a name, or undefined for a name to be left alone. Types with row types that someone declared do not change.
 */
export function narrowDeclarations(
  typescript: TypeScript,
  declarations: string,
  value: (name: string) => DataTypes | undefined,
): NarrowedDeclarations {
  const names = new Map<string, string>();
  const text = editedVariables(typescript, declarations, (name, type) => {
    const current = value(name);
    const found = current === undefined ? [] : typeEdits(typescript, type, current);
    if (found.length > 0) names.set(name, declarations.slice(type.pos, type.end));
    return found;
  });
  return { text, names };
}

/** The declarations in which the names of `types` have these types. */
export function withTypes(typescript: TypeScript, declarations: string, types: ReadonlyMap<string, string>): string {
  return editedVariables(typescript, declarations, (name, { pos, end }) => {
    const text = types.get(name);
    return text === undefined ? [] : [{ start: pos, end, text }];
  });
}

/** The declarations with the edits of each variable that has a name and a type. */
function editedVariables(
  typescript: TypeScript,
  declarations: string,
  editsOf: (name: string, type: Syntax.TypeNode) => readonly Edit[],
): string {
  const file = typescript.createSourceFile("declarations.d.ts", declarations, typescript.ScriptTarget.Latest);
  let result = "";
  let at = 0;
  for (const statement of file.statements) {
    if (!typescript.isVariableStatement(statement)) continue;
    for (const { name, type } of statement.declarationList.declarations) {
      if (type === undefined || !typescript.isIdentifier(name)) continue;
      for (const { start, end, text } of editsOf(name.text, type)) {
        result += declarations.slice(at, start) + text;
        at = end;
      }
    }
  }
  return result + declarations.slice(at);
}

/** The classes whose type parameter has columns, and its type where they are unknown. */
const OPEN: Readonly<Record<string, string>> = {
  Frame: OPEN_ROW,
  Column: "any",
  TableQuery: OPEN_ROW,
  DatasetQuery: OPEN_ROW,
};

/**
 * Declarations in which what may be assigned later has unknown columns: the variables, and members and elements of
 * constants. Row types with a name of their own do not change.
 */
export function withOpenVariables(
  typescript: TypeScript,
  declarations: string,
  assignable: readonly string[],
  inferred: readonly string[],
): string {
  let edits: Edit[] = [];
  const open = (type: Syntax.Node): void => {
    const text = OPEN[referenceName(typescript, type) ?? ""];
    const row = (type as Syntax.TypeReferenceNode).typeArguments?.[0];
    if (text === undefined || row === undefined) typescript.forEachChild(type, open);
    else if (!isNamed(typescript, row)) edits.push({ start: row.pos, end: row.end, text });
  };
  const openMembers = (type: Syntax.Node): void => {
    if (typescript.isFunctionTypeNode(type) || OPEN[referenceName(typescript, type) ?? ""] !== undefined) return;
    typescript.forEachChild(type, (child) => {
      if (typescript.isPropertySignature(child)) {
        const isReadonly = child.modifiers?.some(({ kind }) => kind === typescript.SyntaxKind.ReadonlyKeyword);
        if (isReadonly !== true && child.type !== undefined) open(child.type);
      } else if (typescript.isArrayTypeNode(type)) open(child);
      else openMembers(child);
    });
  };
  return editedVariables(typescript, declarations, (name, type) => {
    edits = [];
    if (assignable.includes(name)) open(type);
    else if (inferred.includes(name)) openMembers(type);
    return edits;
  });
}

/** Whether a row type is a name, as of an interface. */
function isNamed(typescript: TypeScript, row: Syntax.Node): boolean {
  const name = referenceName(typescript, row);
  return name !== undefined && (row as Syntax.TypeReferenceNode).typeArguments === undefined;
}

/** The code of "This expression is not callable": of a method on one of two frames with different columns. */
const NOT_CALLABLE = 2349;
const OF_ROWS = "(?:Frame|Column|TableQuery|DatasetQuery)<";
const NOT_ASSIGNABLE = new RegExp(`ype '${OF_ROWS}.*' is not assignable to (?:parameter of )?type '${OF_ROWS}`, "s");

/**
 * Whether all messages about a cell may be due to row types alone, where frames of different columns meet: they are
 * assigned to each other, or used as one type. A misspelt column is none of these.
 */
export function mayBeRowTypesAlone(diagnostics: readonly Diagnostic[]): boolean {
  const places = new Map<number, boolean>();
  for (const { start, code, messageText } of diagnostics) {
    const isOne = code === NOT_CALLABLE || NOT_ASSIGNABLE.test(messageText);
    places.set(start.offset, (places.get(start.offset) ?? false) || isOne);
  }
  return places.size > 0 && [...places.values()].every((isOne) => isOne);
}

/** The edits that specify the unknown row types in the declared type of a value. */
function typeEdits(typescript: TypeScript, type: Syntax.TypeNode, value: DataTypes | undefined): Edit[] {
  if (value === undefined) return [];
  if (typescript.isUnionTypeNode(type) || typescript.isIntersectionTypeNode(type)) {
    return type.types.flatMap((part) => typeEdits(typescript, part, value));
  }
  if (typescript.isTypeLiteralNode(type))
    return type.members.flatMap((member) => memberEdits(typescript, member, value));
  const name = referenceName(typescript, type);
  const given = (type as Syntax.TypeReferenceNode | Syntax.ImportTypeNode).typeArguments;
  if (name === undefined || given === undefined || !given.some((argument) => isOpen(typescript, argument))) return [];
  const held = name === "TablePage" ? value.members?.["frame"] : value.of === name ? value : undefined;
  const types = held?.types;
  return types === undefined ? [] : [{ start: given.pos, end: given.end, text: types.join(", ") }];
}

/** A member that cannot be reassigned, such as the frame in the result of `data()`. */
function memberEdits(typescript: TypeScript, member: Syntax.TypeElement, value: DataTypes): Edit[] {
  if (!typescript.isPropertySignature(member) || member.type === undefined) return [];
  const isReadonly = member.modifiers?.some(({ kind }) => kind === typescript.SyntaxKind.ReadonlyKeyword) === true;
  if (!isReadonly || !typescript.isIdentifier(member.name)) return [];
  return typeEdits(typescript, member.type, value.members?.[member.name.text]);
}

/** The last name of a reference: `Frame` of `Frame<…>` and of `import("arrowbook").Frame<…>`. */
function referenceName(typescript: TypeScript, type: Syntax.Node): string | undefined {
  const name = typescript.isTypeReferenceNode(type)
    ? type.typeName
    : typescript.isImportTypeNode(type)
      ? type.qualifier
      : undefined;
  if (name === undefined) return undefined;
  return typescript.isIdentifier(name) ? name.text : name.right.text;
}

/** Whether a type holds columns that the compiler does not know: cells of any type, or any column. */
function isOpen(typescript: TypeScript, type: Syntax.Node): boolean {
  if (typescript.isIndexSignatureDeclaration(type)) return true;
  const name = referenceName(typescript, type);
  if (name === "Cell" || name === "AnyRow") return true;
  const cells = name === "Record" ? (type as Syntax.TypeReferenceNode).typeArguments?.[1] : undefined;
  if (cells?.kind === typescript.SyntaxKind.AnyKeyword) return true;
  return typescript.forEachChild(type, (child) => isOpen(typescript, child) || undefined) === true;
}

import type { SourceFile, Syntax, TypeScript } from "./typescript-parts.js";

/** Every JSX element has one of these. */
const ELEMENT_END = /<\/|\/>/;

/** A parsed cell; as JSX if it is correct only as that, without type assertions in angle brackets. */
export function parsedCell(
  typescript: TypeScript,
  text: string,
  name = "cell.ts",
  target: Syntax.ScriptTarget | Syntax.CreateSourceFileOptions = typescript.ScriptTarget.Latest,
): Syntax.SourceFile {
  const isCorrect = (file: Syntax.SourceFile): boolean =>
    (file as { readonly parseDiagnostics?: readonly unknown[] }).parseDiagnostics?.length === 0;
  const cell = typescript.createSourceFile(name, text, target);
  if (!ELEMENT_END.test(text) || isCorrect(cell)) return cell;
  const withJsx = typescript.createSourceFile(name, text, target, false, typescript.ScriptKind.TSX);
  return isCorrect(withJsx) ? withJsx : cell;
}

type GetFile = (
  name: string,
  path: string,
  target: Syntax.CreateSourceFileOptions,
  ...rest: unknown[]
) => SourceFile | undefined;

/** Creates programs in which a cell may have JSX, which the compiler reads in files of another name only. */
export function createProgramWithJsx(typescript: TypeScript, cell: string): unknown {
  const create = typescript.createAbstractBuilder as (...values: unknown[]) => unknown;
  const cells = new WeakMap<SourceFile, SourceFile>();
  return (files: unknown, options: unknown, host: { getSourceFileByPath: GetFile }, ...rest: unknown[]) => {
    const getSourceFileByPath: GetFile = (name, path, target, ...others) => {
      const file = host.getSourceFileByPath(name, path, target, ...others);
      if (file === undefined || name !== cell || !ELEMENT_END.test(file.text)) return file;
      const { version } = file as { readonly version?: string };
      const parsed = cells.get(file) ?? Object.assign(parsedCell(typescript, file.text, name, target), { version });
      cells.set(file, parsed);
      return parsed;
    };
    return create(files, options, Object.assign(Object.create(host), { getSourceFileByPath }), ...rest);
  };
}

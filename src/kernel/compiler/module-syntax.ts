import type { Syntax, TypeScript } from "../install/installed-typescript.js";

/** The names that compiled code has for what it uses of the kernel. */
export interface CodeNames {
  /** The values of earlier cells. */
  readonly earlier: string;
  /** Loads a module for an `import` statement. */
  readonly imported: string;
  /** Loads a module for `import()`. */
  readonly load: string;
  readonly meta: string;
  /** Takes the accessors to the names that a cell declares. */
  readonly own: string;
}

/** Names that a source does not use itself. */
export function codeNames(source: string): CodeNames {
  let suffix = "";
  while (new RegExp(String.raw`\$(?:earlier|imported|load|meta|own)${suffix}\b`).test(source)) suffix += "_";
  return {
    earlier: `$earlier${suffix}`,
    imported: `$imported${suffix}`,
    load: `$load${suffix}`,
    meta: `$meta${suffix}`,
    own: `$own${suffix}`,
  };
}

/** Replaces `import()` and `import.meta` by a call and a name, for code that does not run as a module. */
export function withoutImportSyntax(
  typescript: TypeScript,
  factory: Syntax.NodeFactory,
  code: CodeNames,
  node: Syntax.Node,
): Syntax.Node {
  const { ImportKeyword } = typescript.SyntaxKind;
  if (typescript.isCallExpression(node) && node.expression.kind === ImportKeyword) {
    return factory.updateCallExpression(node, factory.createIdentifier(code.load), undefined, node.arguments);
  }
  if (typescript.isMetaProperty(node) && node.keywordToken === ImportKeyword) {
    return typescript.setTextRange(factory.createIdentifier(code.meta), node);
  }
  return node;
}

/** A local file as a function of what it uses. */
export interface CompiledModule {
  readonly source: string;
  readonly code: string;
  /** The source map, as JSON. */
  readonly map: string;
  readonly isModule: boolean;
  /** The modules that it imports, with the paths of local files. */
  readonly imports: readonly { readonly name: string; readonly file?: string }[];
}

/** Compiles a local file of TypeScript or JavaScript; `resolve` finds the local files that it imports. */
export function compileModule(
  typescript: TypeScript,
  file: string,
  text: string,
  settings: Syntax.CompilerOptions,
  resolve: (name: string) => string | undefined,
): CompiledModule {
  const code = codeNames(text);
  const visitor = (context: Syntax.TransformationContext): Syntax.Transformer<Syntax.SourceFile> => {
    const visit = (node: Syntax.Node): Syntax.Node =>
      withoutImportSyntax(typescript, context.factory, code, typescript.visitEachChild(node, visit, context));
    return (source) => typescript.visitEachChild(source, visit, context);
  };
  const names = new Set<string>();
  const collect = (node: Syntax.Node): void => {
    if (typescript.isCallExpression(node) && typescript.isIdentifier(node.expression)) {
      const [name] = node.arguments;
      if (node.expression.text === "require" && name !== undefined && typescript.isStringLiteralLike(name)) {
        names.add(name.text);
      }
    }
    typescript.forEachChild(node, collect);
  };
  const collected = (source: Syntax.SourceFile): Syntax.SourceFile => {
    collect(source);
    return source;
  };
  const { outputText, sourceMapText = "{}" } = typescript.transpileModule(text, {
    // Files with `m` in their extension would stay ES modules.
    fileName: file.replace(/\.m([jt]s)$/, ".$1"),
    compilerOptions: {
      ...settings,
      module: typescript.ModuleKind.CommonJS,
      moduleDetection: typescript.ModuleDetectionKind.Auto,
      declaration: false,
    },
    transformers: { before: [visitor], after: [() => collected] },
  });
  return {
    source: text,
    code: `(function (exports, require, module, __filename, __dirname, ${code.load}, ${code.meta}) { return async function () {
${outputText.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "")}
}})`,
    map: shiftedMap(sourceMapText, 0, file),
    isModule: outputText.includes('Object.defineProperty(exports, "__esModule"'),
    imports: [...names].map((name) => ({ name, file: resolve(name) })),
  };
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * The source map of code that got one line more at its beginning, from a source of which the first `lines` lines are
 * left out.
 */
export function shiftedMap(text: string, lines: number, source: string): string {
  const { mappings = "", names = [] } = JSON.parse(text) as { readonly mappings?: string; readonly names?: string[] };
  // Positions are relative to the one before: that of the added line, where only the first column has one.
  return JSON.stringify({ version: 3, sources: [source], names, mappings: `AA${encoded(-lines)}A,C;${mappings}` });
}

/** A number of a source map: in base 64, with a bit for its sign and one for "more follows". */
function encoded(field: number): string {
  let rest = field < 0 ? (-field << 1) | 1 : field << 1;
  let text = "";
  do {
    const bits = rest & 31;
    rest >>= 5;
    text += BASE64[rest > 0 ? bits | 32 : bits];
  } while (rest > 0);
  return text;
}

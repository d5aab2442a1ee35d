import type * as Syntax from "typescript";

export type { Syntax };

/** The part of the compiler's program in use. */
export interface Program {
  getSourceFile(name: string): SourceFile | undefined;
  getTypeChecker(): Pick<Syntax.TypeChecker, "getShorthandAssignmentValueSymbol" | "getSymbolAtLocation"> & {
    resolveName(
      name: string,
      place: SourceFile,
      meaning: Syntax.SymbolFlags,
      excludeGlobals: boolean,
    ): Syntax.Symbol | undefined;
  };
}

/** A parsed file. Nodes of the compiler in use and of the package `typescript` agree in the members in use. */
export type SourceFile = Pick<
  Syntax.SourceFile,
  "text" | "statements" | "fileName" | "isDeclarationFile" | "languageVariant"
> & {
  /** The names of the modules that it imports. */
  readonly imports?: readonly Syntax.Node[];
};

/** The functions on syntax trees in use. */
type SyntaxParts = Pick<
  typeof Syntax,
  | "createSourceFile"
  | "EmitFlags"
  | "flattenDiagnosticMessageText"
  | "forEachChild"
  | "isArrayTypeNode"
  | "isAsExpression"
  | "isBinaryExpression"
  | "isBindingElement"
  | "isCallExpression"
  | "isClassDeclaration"
  | "isExportDeclaration"
  | "isExpressionWithTypeArguments"
  | "isFunctionDeclaration"
  | "isFunctionTypeNode"
  | "isHeritageClause"
  | "isIdentifier"
  | "isJsxClosingElement"
  | "isJsxOpeningElement"
  | "isJsxSelfClosingElement"
  | "isImportDeclaration"
  | "isImportEqualsDeclaration"
  | "isImportTypeNode"
  | "isIndexSignatureDeclaration"
  | "isInterfaceDeclaration"
  | "isIntersectionTypeNode"
  | "isModuleBlock"
  | "isModuleDeclaration"
  | "isNamedExports"
  | "isNamespaceImport"
  | "isNonNullExpression"
  | "isParenthesizedExpression"
  | "isPropertyAccessExpression"
  | "isPropertySignature"
  | "isSatisfiesExpression"
  | "isShorthandPropertyAssignment"
  | "isSourceFile"
  | "isTaggedTemplateExpression"
  | "isTypeAliasDeclaration"
  | "isTypeAssertionExpression"
  | "isTypeLiteralNode"
  | "isTypeNode"
  | "isTypeParameterDeclaration"
  | "isTypeReferenceNode"
  | "isUnionTypeNode"
  | "isVariableDeclaration"
  | "isVariableStatement"
  | "LanguageVariant"
  | "NodeFlags"
  | "ScriptKind"
  | "ScriptTarget"
  | "setEmitFlags"
  | "setTextRange"
  | "SymbolFlags"
  | "SyntaxKind"
  | "visitEachChild"
>;

/** A signature as the language service describes it. */
export interface SignatureHelp {
  readonly items: readonly {
    readonly prefixDisplayParts: readonly { readonly text: string }[];
    readonly suffixDisplayParts: readonly { readonly text: string }[];
    readonly separatorDisplayParts: readonly { readonly text: string }[];
    readonly parameters: readonly {
      readonly displayParts: readonly { readonly text: string }[];
      readonly documentation: readonly { readonly text: string }[];
    }[];
    readonly documentation: readonly { readonly text: string }[];
  }[];
  readonly selectedItemIndex: number;
  readonly argumentIndex: number;
}

/** The file access of the compiler. */
export interface System {
  fileExists(path: string): boolean;
  directoryExists(path: string): boolean;
  readFile(path: string, encoding?: string): string | undefined;
  realpath?(path: string): string;
  readonly [name: string]: unknown;
}

/** Creates programs, each from the one before. */
export interface Builder {
  getProgram(): Program;
  getSourceFile(name: string): SourceFile | undefined;
  /** The paths of a file and of all that it imports. */
  getAllDependencies(file: SourceFile): readonly string[];
  emit(
    file: SourceFile | undefined,
    write: unknown,
    cancellation: unknown,
    onlyDeclarations: boolean | undefined,
    transformers: Syntax.CustomTransformers | undefined,
  ): unknown;
}

/** What the compiler calls while it watches files. */
export interface Host {
  afterProgramCreate?: (builder: Builder) => void;
  setTimeout?: (callback: (...values: unknown[]) => void, milliseconds: number, ...values: unknown[]) => unknown;
  clearTimeout?: (timer: unknown) => void;
}

/** The part of tslab's compiler (TypeScript 5.0.4 with changes) in use. */
export interface TypeScript extends SyntaxParts {
  readonly version: string;
  readonly sys: System;
  /** The messages about files, before they are emitted. */
  readonly getPreEmitDiagnosticsOfFiles: (
    program: Program,
    files: readonly SourceFile[],
  ) => readonly Syntax.Diagnostic[];
  /** The innermost node at a position. */
  readonly getTokenAtPosition: (file: SourceFile, position: number) => Syntax.Node;
  /** The position of the first token at or after a position. */
  readonly skipTrivia: (text: string, position: number) => number;
  /** Binds the names of a file. */
  readonly bindSourceFile: (file: SourceFile, options: object) => void;
  /** Whether the name of an element is that of the language, such as `div`. */
  readonly isIntrinsicJsxName: (name: string) => boolean;
  readonly unescapeLeadingUnderscores: (name: string) => string;
  readonly ModuleResolutionKind: { readonly Bundler: number };
  readonly createWatchCompilerHost: (
    files: readonly string[],
    options: Readonly<Record<string, unknown>>,
    sys: System,
    createProgram: unknown,
    ...reporters: readonly unknown[]
  ) => Host;
  readonly createAbstractBuilder: unknown;
  readonly createWatchProgram: (host: Host) => unknown;
  readonly transpileModule: (
    source: string,
    options: { readonly fileName?: string; readonly compilerOptions: Readonly<Record<string, unknown>> },
  ) => { readonly outputText: string };
  readonly SignatureHelp?: {
    getSignatureHelpItems(
      program: Program,
      file: SourceFile,
      position: number,
      reason: undefined,
      cancellation: { isCancellationRequested(): boolean; throwIfCancellationRequested(): void },
    ): SignatureHelp | undefined;
  };
}

import type * as Syntax from "typescript";

export type { SignatureHelpItems, System } from "typescript";
export type { Syntax };

/** A parsed file, with the names of the modules that it imports. */
export interface SourceFile extends Syntax.SourceFile {
  readonly imports?: readonly Syntax.Node[];
}

/** A program, whose checker also finds names by their text. */
export interface Program extends Syntax.Program {
  getTypeChecker(): Syntax.TypeChecker & {
    resolveName(
      name: string,
      place: Syntax.SourceFile,
      meaning: Syntax.SymbolFlags,
      excludeGlobals: boolean,
    ): Syntax.Symbol | undefined;
  };
}

/** Creates programs, each from the one before. */
export interface Builder extends Syntax.BuilderProgram {
  getProgram(): Program;
}

/** What the compiler calls while it watches files. */
export interface Host {
  afterProgramCreate?: (builder: Builder) => void;
  setTimeout?: (callback: (...values: unknown[]) => void, milliseconds: number, ...values: unknown[]) => unknown;
  clearTimeout?: (timer: unknown) => void;
}

/** Functions of the package whose types differ here. */
type Replaced = "createWatchCompilerHost" | "createWatchProgram";

/**
 * tslab's compiler, TypeScript 5.0.4 with changes: the functions of the package `typescript`, and those in use that it
 * lacks.
 */
export interface TypeScript extends Omit<typeof Syntax, Replaced> {
  readonly createWatchCompilerHost: (
    files: readonly string[],
    options: Syntax.CompilerOptions,
    sys: Syntax.System,
    createProgram: unknown,
    ...reporters: readonly unknown[]
  ) => Host;
  readonly createWatchProgram: (host: Host) => unknown;
  /** The messages about files, before they are emitted. */
  readonly getPreEmitDiagnosticsOfFiles: (
    program: Program,
    files: readonly Syntax.SourceFile[],
  ) => readonly Syntax.Diagnostic[];
  /** The innermost node at a position. */
  readonly getTokenAtPosition: (file: Syntax.SourceFile, position: number) => Syntax.Node;
  /** The position of the first token at or after a position. */
  readonly skipTrivia: (text: string, position: number) => number;
  readonly bindSourceFile: (file: Syntax.SourceFile, options: object) => void;
  /** Whether the name of an element is that of the language, such as `div`. */
  readonly isIntrinsicJsxName: (name: string) => boolean;
  readonly SignatureHelp?: {
    getSignatureHelpItems(
      program: Syntax.Program,
      file: Syntax.SourceFile,
      position: number,
      reason: undefined,
      cancellation: { isCancellationRequested(): boolean; throwIfCancellationRequested(): void },
    ): Syntax.SignatureHelpItems | undefined;
  };
}

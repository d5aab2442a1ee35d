/** A program of the compiler, as far as it is used here. */
export interface Program {
  getSourceFile(name: string): SourceFile | undefined;
  getTypeChecker(): unknown;
}

/** A source file, opaque. */
type SourceFile = { readonly text: string };

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

/** What the compiler calls while it watches files. */
export interface Host {
  afterProgramCreate?: (builder: { getProgram(): Program }) => void;
  setTimeout?: (callback: (...values: unknown[]) => void, milliseconds: number, ...values: unknown[]) => unknown;
  clearTimeout?: (timer: unknown) => void;
}

/** The compiler inside tslab (TypeScript 5.0.4 with changes), as far as it is used here. */
export interface TypeScript {
  readonly version: string;
  readonly sys: System;
  readonly ModuleResolutionKind: { readonly Bundler: number };
  readonly createWatchCompilerHost: (
    files: readonly string[],
    options: Readonly<Record<string, unknown>>,
    ...rest: readonly unknown[]
  ) => Host;
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

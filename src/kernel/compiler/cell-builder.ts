import type { CompilerState } from "./compiler-state.js";
import { cellTransformers } from "./earlier-names.js";
import type { BoundFile } from "./single-pass.js";
import { cellFileName } from "./tslab-parts.js";
import type { Builder, Program, SourceFile, TypeScript } from "./typescript-parts.js";

/**
 * What tslab uses of TypeScript's builder, over one without state: the state of the usual builder, the references of
 * all files, costs a fifth of a cell and serves none.
 */
export function cellBuilder(typescript: TypeScript, state: CompilerState, builder: Builder): Builder {
  const cell = cellFileName(typescript.sys);
  return {
    ...builder,
    getSourceFile(name) {
      const file: BoundFile | undefined = builder.getSourceFile(name);
      if (file === undefined || name !== cell) return file;
      // Creates the checker, which binds the names of all files.
      builder.getProgram().getTypeChecker();
      if (!state.exportsNames) return file;
      state.exportsNames = false;
      return withoutNamesOnce(file);
    },
    getAllDependencies: (file) => dependencies(builder.getProgram(), file),
    emit(file, write, cancellation, onlyDeclarations, transformers) {
      if (file?.fileName !== cell) return builder.emit(file, write, cancellation, onlyDeclarations, transformers);
      const { before, after } = cellTransformers(typescript, state, builder.getProgram(), file);
      return builder.emit(file, write, cancellation, onlyDeclarations, {
        ...transformers,
        before: [before],
        after: [after, ...(transformers?.after ?? [])],
      });
    },
  };
}

/** Without names, tslab takes the cell as it is instead of compiling it again with its names exported. */
function withoutNamesOnce(file: BoundFile): SourceFile {
  const { locals } = file;
  const restore = (): void => {
    Object.defineProperty(file, "locals", { value: locals, writable: true, enumerable: true, configurable: true });
  };
  return Object.defineProperty(file, "locals", { get: restore, configurable: true });
}

/** The paths of a file and of what it imports, directly or not. Files of declarations lead to no code. */
function dependencies(program: Program, file: SourceFile): string[] {
  const checker = program.getTypeChecker();
  const seen = new Set<SourceFile>([file]);
  for (const { isDeclarationFile, imports } of seen) {
    if (isDeclarationFile) continue;
    for (const name of imports ?? []) {
      for (const declaration of checker.getSymbolAtLocation(name)?.declarations ?? []) {
        seen.add(declaration.getSourceFile());
      }
    }
  }
  return [...seen].map(({ fileName }) => fileName);
}

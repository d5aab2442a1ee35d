import type { CompilerState } from "./compiler-state.js";
import type { Converter, TslabParts } from "./tslab-parts.js";
import type { SourceFile, TypeScript } from "./typescript-parts.js";

/** The name under which tslab stores the last expression; it takes another one if the cell declares this one. */
const LAST_EXPRESSION = "tsLastExpr";

/**
 * A converter that compiles each cell once. tslab compiles a cell that declares names twice: the second time with an
 * `export` of the names that the compiler bound. Here they are bound before, in the cell alone.
 */
export function singlePass(tslab: TslabParts, state: CompilerState, converter: Converter): Converter {
  return {
    ...converter,
    convert(previous, source) {
      const names = declaredNames(tslab.typescript, source);
      if (names.length === 0 || source.includes(LAST_EXPRESSION)) return converter.convert(previous, source);
      state.exportsNames = true;
      try {
        return converter.convert(previous, `${source}\nexport {${names.join(", ")}}`);
      } finally {
        state.exportsNames = false;
      }
    },
  };
}

/** A file after binding, with the names of its own scope. */
export interface BoundFile extends SourceFile {
  locals?: ReadonlyMap<string, unknown>;
}

/** The names in the scope of a cell: also a `var` in a block, and imports. */
function declaredNames(typescript: TypeScript, source: string): string[] {
  const text = `export {};\n${source}`;
  const cell: BoundFile = typescript.createSourceFile("cell.ts", text, typescript.ScriptTarget.Latest);
  typescript.bindSourceFile(cell, {});
  return [...(cell.locals?.keys() ?? [])].map(typescript.unescapeLeadingUnderscores);
}

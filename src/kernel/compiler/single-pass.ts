import type { CompilerState } from "./compiler-state.js";
import { parsedCell } from "./jsx.js";
import type { Conversion, Converter, TslabParts } from "./tslab-parts.js";
import type { SourceFile, Syntax, TypeScript } from "./typescript-parts.js";

/** The name under which tslab stores the last expression; it takes another one if the cell declares this one. */
const LAST_EXPRESSION = "tsLastExpr";
/** What the compiler binds for `declare global` and `declare module "m"`. */
const AUGMENTED = /^(?:__global$|")/;

/**
 * A converter that compiles each cell once. tslab compiles a cell that declares names twice: the second time with an
 * `export` of the names that the compiler bound. Here they are bound before, in the cell alone.
 */
export function singlePass(tslab: TslabParts, state: CompilerState, converter: Converter): Converter {
  return {
    ...converter,
    convert(previous, source) {
      const names = declaredNames(tslab.typescript, source);
      state.names = undefined;
      const converted = convertOnce(previous, source, names);
      if (converted.declOutput === undefined) return converted;
      const kept = keptModules(tslab.typescript, previous, new Set(names), converted.declOutput);
      return { ...converted, declOutput: converted.declOutput + kept, names: state.names };
    },
  };

  function convertOnce(previous: string, source: string, names: readonly string[]): Conversion {
    if (names.length === 0 || source.includes(LAST_EXPRESSION)) return converter.convert(previous, source);
    state.exportsNames = true;
    try {
      return converter.convert(previous, `${source}\nexport {${names.join(", ")}}`);
    } finally {
      state.exportsNames = false;
    }
  }
}

/** A file after binding, with the names of its own scope. */
export interface BoundFile extends SourceFile {
  locals?: ReadonlyMap<string, unknown>;
}

/** The names in the scope of a cell: also a `var` in a block, and imports. */
function declaredNames(typescript: TypeScript, source: string): string[] {
  const cell: BoundFile = parsedCell(typescript, `export {};\n${source}`);
  typescript.bindSourceFile(cell, {});
  return [...(cell.locals?.keys() ?? [])]
    .filter((name) => !AUGMENTED.test(name))
    .map((name) => typescript.unescapeLeadingUnderscores(name as Syntax.__String));
}

/** The namespaces, augmented modules and aliases of earlier cells, which tslab drops after one cell. */
function keptModules(
  typescript: TypeScript,
  previous: string,
  declared: ReadonlySet<string>,
  declarations: string,
): string {
  if (!/\b(?:namespace|module|global|import\s+\w+\s*=)/.test(previous)) return "";
  const file = typescript.createSourceFile("declarations.d.ts", previous, typescript.ScriptTarget.Latest);
  const kept = file.statements
    .filter((statement) => {
      if (!typescript.isModuleDeclaration(statement) && !typescript.isImportEqualsDeclaration(statement)) return false;
      return !declared.has(statement.name.text);
    })
    .map((statement) => `${previous.slice(statement.pos, statement.end).trim()}\n`);
  return kept.filter((text) => !declarations.includes(text)).join("");
}

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { prepareTypeScript } from "../../src/kernel/compiler/compiler.js";
import type { CompilerState } from "../../src/kernel/compiler/compiler-state.js";
import { singlePass } from "../../src/kernel/compiler/single-pass.js";
import { type Conversion, type Converter, loadTslab } from "../../src/kernel/compiler/tslab-parts.js";

const folder = process.cwd();
const state: CompilerState = {};
let programs = 0;
let twice: Converter;
let once: Converter;

beforeAll(() => {
  const tslab = loadTslab(folder, (typescript) => {
    const prepared = prepareTypeScript(typescript, {}, state, folder);
    return {
      ...prepared,
      createWatchProgram: (host) => {
        const created = host.afterProgramCreate;
        host.afterProgramCreate = (builder) => {
          programs++;
          created?.(builder);
        };
        return prepared.createWatchProgram(host);
      },
    };
  });
  const options = { isJS: false, isBrowser: false };
  twice = tslab.createConverter(options);
  once = singlePass(tslab, state, tslab.createConverter(options));
});

afterAll(() => {
  twice.close();
  once.close();
});

const NAMES = ["a", "b", "_c", "$d", "tsLastExpr", "état"];
const name = fc.constantFrom(...NAMES);
const statement = fc.oneof(
  fc.tuple(fc.constantFrom("const", "let", "var"), name).map(([kind, id]) => `${kind} ${id} = { n: 1 };`),
  name.map((id) => `if (Date.now() > 0) { var ${id} = 1; let inner = 2; }`),
  name.map((id) => `for (var ${id} of [1, 2]) {}`),
  fc.tuple(name, name).map(([first, second]) => `const { x: ${first}, y: [${second}] } = { x: 1, y: ["s"] };`),
  name.map((id) => `function ${id}(n: number): string { return String(n); }`),
  name.map((id) => `class ${id} { readonly x = 1; }`),
  name.map((id) => `interface ${id} { x: number }`),
  name.map((id) => `type ${id} = string | number;`),
  name.map((id) => `enum ${id} { One, Two }`),
  name.map((id) => `import { join as ${id} } from "node:path";`),
  name.map((id) => `import * as ${id} from "node:path";`),
  name.map((id) => `import ${id} from "node:path";`),
  name.map((id) => `${id};`),
  name.map((id) => `await ${id};`),
  fc.constantFrom(
    "1 + 1",
    "// a comment",
    "/* open",
    "const {",
    "`open",
    "export const e = 1;",
    "export default 5;",
    "",
  ),
);
const cell = fc.array(statement, { maxLength: 4 }).map((lines) => lines.join("\n"));

const essence = ({ output, declOutput, diagnostics, lastExpressionVar, hasToplevelAwait }: Conversion) => ({
  output,
  declOutput,
  diagnostics,
  lastExpressionVar,
  hasToplevelAwait,
});

describe("singlePass()", () => {
  it("converts cells as two passes do", () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 3 }), (cells) => {
        let previous = "";
        for (const source of cells) {
          const expected = twice.convert(previous, source);
          expect(essence(once.convert(previous, source))).toEqual(essence(expected));
          previous = expected.declOutput ?? previous;
        }
      }),
      { numRuns: 30 },
    );
  });

  it("creates one program for a cell", () => {
    const created = (converter: Converter, source: string): number => {
      const before = programs;
      expect(converter.convert("", source).diagnostics).toEqual([]);
      return programs - before;
    };
    expect(created(twice, "const first = 1;")).toBe(2);
    expect(created(once, "const first = 1;\nfirst")).toBe(1);
    expect(created(once, "let tsLastExpr = 1;\ntsLastExpr")).toBe(2);
  });

  it("exports names that begin with two underscores, which tslab refuses", () => {
    expect(twice.convert("", "const __x = 1;").diagnostics).not.toEqual([]);
    const { diagnostics, names, declOutput } = once.convert("", "const __x = 1;");
    expect(diagnostics).toEqual([]);
    expect(names).toEqual({ constant: ["__x"], variable: [] });
    expect(once.convert(declOutput ?? "", "__x + 1").output).toContain("exports.__x + 1");
  });
});

import fc from "fast-check";
import * as ts from "typescript";
import { describe, expect, it } from "vitest";
import { rowType } from "../../src/columns/arrow/row-type.js";
import { Frame } from "../../src/index.js";
import { cellDeclarations } from "../../src/kernel/compiler/cell-declarations.js";
import { dataTypes, narrowDeclarations } from "../../src/kernel/compiler/value-types.js";
import type { TypeScript } from "../../src/kernel/install/installed-typescript.js";
import { runs } from "../support/whole.js";

/* tslab's compiler and the package `typescript` have the same functions on syntax trees. */
const typescript = ts as unknown as TypeScript;
const frame = Frame.fromRows([{ a: 1, b: "x" }]);
const ROW = "{ a: number | null; b: string | null; }";

const narrowed = (declarations: string, values: Readonly<Record<string, unknown>>): string =>
  narrowDeclarations(typescript, declarations, (name) => dataTypes(values[name])).text;

describe("narrowDeclarations()", () => {
  it("specifies unknown rows wherever a declared type holds the value", () => {
    const open = "Record<string, import('./dist').Cell>";
    for (const [before, after] of [
      [`Frame<${open}>`, `Frame<${ROW}>`],
      [`import('./dist').Frame<import('./dist').AnyRow>`, `import('./dist').Frame<${ROW}>`],
      [`Frame<Pick<${open}, "a">> | undefined`, `Frame<${ROW}> | undefined`],
      [`Frame<Omit<{ [x: string]: Cell }, "r"> & { r: number }>`, `Frame<${ROW}>`],
    ]) {
      expect(narrowed(`declare const f: ${before};\n`, { f: frame })).toBe(`declare const f: ${after};\n`);
    }
    const page = { frame, next: null };
    expect(narrowed(`declare const p: TablePage<${open}>;`, { p: page })).toBe(`declare const p: TablePage<${ROW}>;`);
    expect(narrowed(`declare const d: X & { readonly frame: Frame<${open}> };`, { d: page })).toBe(
      `declare const d: X & { readonly frame: Frame<${ROW}> };`,
    );
  });

  it("changes nothing else", () => {
    const values = { f: frame, g: 5, h: { frame } };
    for (const kept of [
      "declare const f: Frame<Price>;",
      "declare const f: Frame<{ a: number }>;",
      "declare const f: Record<string, Cell>[];",
      "declare const g: Frame<Record<string, Cell>>;",
      "declare const h: { frame: Frame<Record<string, Cell>> };",
      "declare const other: Frame<Record<string, Cell>>;",
      "declare function f(): Frame<Record<string, Cell>>;\ntype T = Frame<Record<string, Cell>>;",
    ]) {
      expect(narrowed(kept, values)).toBe(kept);
    }
  });

  it("calls no getter of a value and survives a hostile proxy", () => {
    let called = 0;
    const hostile = new Proxy(
      {},
      {
        get() {
          called++;
          throw new Error("no");
        },
        has() {
          throw new Error("no");
        },
      },
    );
    const text = "declare const d: { readonly frame: Frame<Record<string, Cell>> };";
    const own = Object.defineProperty({}, "frame", { get: () => called++ });
    expect(narrowed(text, { d: own })).toBe(text);
    expect(called).toBe(0);
    expect(narrowed(text, { d: hostile })).toBe(text);
    const frames = "declare const d: Frame<Record<string, Cell>>;";
    expect(() => narrowed(frames, { d: hostile })).not.toThrow();
  });

  it("keeps every other declaration of a generated file, byte for byte", () => {
    const types = fc.constantFrom("number", "Frame<Price>", "{ a: string }", "() => void", "[x: Frame<Own>]");
    const lines = fc.array(fc.tuple(fc.constantFrom("const", "let"), types, fc.boolean()), { maxLength: 12 });
    fc.assert(
      fc.property(lines, (made) => {
        const declared = (row: (isFrame: boolean, type: string) => string): string =>
          made.map(([kind, type, isFrame], i) => `declare ${kind} v${i}: ${row(isFrame, type)};\n`).join("");
        const values = Object.fromEntries(made.map((_, i) => [`v${i}`, frame]));
        const before = declared((isFrame, type) => (isFrame ? "Frame<Record<string, Cell>>" : type));
        const after = declared((isFrame, type) => (isFrame ? `Frame<${ROW}>` : type));
        expect(narrowed(before, values)).toBe(after);
      }),
      { numRuns: runs(100) },
    );
  });
});

it("rowType() is a valid type for every column name", () => {
  const names = fc.uniqueArray(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("*/", "__proto__", "a-b", "1")));
  fc.assert(
    fc.property(names, (columns) => {
      const text = `type Row = ${rowType(columns.map((name) => ({ name, type: "String" })))};`;
      const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true });
      expect(diagnostics).toEqual([]);
      const [alias] = ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest).statements;
      const { members } = (alias as ts.TypeAliasDeclaration).type as ts.TypeLiteralNode;
      expect(members.map(({ name }) => (name as ts.Identifier | ts.StringLiteral).text)).toEqual(columns);
    }),
    { numRuns: runs(100) },
  );
});

it("cellDeclarations() distinguishes constants without an annotation", () => {
  const source = `const a = 1, b: number = 2; let c = 3; var d = 4;
const { e, f: [g, , ...h], ...i } = x; const { j }: T = y; function k() { const l = 1; } export const m = 1;`;
  const found = cellDeclarations(typescript, ts.createSourceFile("cell.ts", source, ts.ScriptTarget.Latest));
  expect(found).toMatchObject({
    all: ["a", "b", "c", "d", "e", "g", "h", "i", "j", "m"],
    inferred: ["a", "e", "g", "h", "i", "m"],
    assignable: ["c", "d"],
    imports: [],
  });
});

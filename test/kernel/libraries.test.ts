import * as ts from "typescript";
import { afterEach, expect, it, vi } from "vitest";
import { CellCompiler } from "../../src/kernel/compiler/cell-compiler.js";
import type { TypeScript } from "../../src/kernel/install/installed-typescript.js";

const folder = process.cwd();
const compiler = (): CellCompiler =>
  new CellCompiler(ts as unknown as TypeScript, { folder, home: folder, seesHome: false, strict: true });

/** The codes of the compiler's messages about a cell. */
const codes = (compile: CellCompiler, code: string): number[] =>
  compile.compile(code).diagnostics.map((each) => each.code);

afterEach(() => vi.unstubAllGlobals());

it("cells have the types of the running Node: iterators with methods from version 22 on", () => {
  const HELPERS = "Iterator.from([1]).map((x) => x + 1); new Map([[1, 2]]).values().toArray();";
  const EVERYWHERE = "[3, 1].toSorted().at(-1)?.toFixed(); new WebAssembly.Module(new Uint8Array()); process.cwd()";
  for (const [node, helpers] of [
    ["20.19.0", [2693, 7006, 2339]],
    ["24.0.0", []],
  ] as const) {
    vi.stubGlobal("process", Object.create(process, { versions: { value: { ...process.versions, node } } }));
    const compile = compiler();
    expect(codes(compile, EVERYWHERE)).toEqual([]);
    expect(codes(compile, HELPERS)).toEqual(helpers);
    expect(codes(compile, "const wrong: number = [1].toString()")).toEqual([2322]);
    expect(codes(compile, "window.alert()")).toEqual([2304]);
  }
});

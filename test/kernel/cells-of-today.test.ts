import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { needBuild } from "./build.js";
import { type Cells, startCells } from "./cells.js";

/* What packages are published as, and what TypeScript has, in cells. */

const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const VALUE = "export declare const kind: string;\n";
const esm = (kind: string): string => `export const kind = ${JSON.stringify(kind)};\n`;
const cjs = (kind: string): string => `exports.kind = ${JSON.stringify(kind)};\n`;

/** Files of packages by their path in `node_modules`; objects are JSON. */
const PACKAGES: Readonly<Record<string, string | object>> = {
  "exports-only/package.json": { type: "module", exports: { types: "./a.d.ts", default: "./a.js" } },
  "exports-only/a.d.ts": VALUE,
  "exports-only/a.js": esm("exports-only"),
  "subpath/package.json": { exports: { "./deep/*": { types: "./types/*.d.ts", default: "./code/*.mjs" } } },
  "subpath/types/one.d.ts": VALUE,
  "subpath/code/one.mjs": esm("subpath"),
  "import-only/package.json": { exports: { ".": { import: { types: "./a.d.mts", default: "./a.mjs" } } } },
  "import-only/a.d.mts": VALUE,
  "import-only/a.mjs": esm("import-only"),
  "awaits/package.json": { type: "module", exports: "./a.js", types: "./a.d.ts" },
  "awaits/a.d.ts": VALUE,
  "awaits/a.js": `export const kind = await Promise.resolve("awaits");\n`,
  "export-equals/package.json": { main: "a.js", types: "a.d.ts" },
  "export-equals/a.d.ts": "declare function f(): string;\ndeclare namespace f { const kind: string }\nexport = f;\n",
  "export-equals/a.js": `module.exports = () => "called"; module.exports.kind = "export-equals";\n`,
  "interop/package.json": { main: "a.js", types: "a.d.ts" },
  "interop/a.d.ts": "declare const kind: string;\nexport default kind;\nexport declare const other: number;\n",
  "interop/a.js": `Object.defineProperty(exports, "__esModule", { value: true });\nexports.default = "interop";\nexports.other = 1;\n`,
  "hidden-names/package.json": { main: "a.js", types: "a.d.ts" },
  "hidden-names/a.d.ts": VALUE,
  "hidden-names/a.js": `module.exports = Object.fromEntries([["kind", "hidden-names"]]);\n`,
  "types-in-exports/package.json": {
    type: "module",
    main: "./none.js",
    exports: { ".": { types: "./types/index.d.ts", default: "./a.js" } },
  },
  "types-in-exports/types/index.d.ts": `export { kind } from "./inner.js";\n`,
  "types-in-exports/types/inner.d.ts": VALUE,
  "types-in-exports/a.js": esm("types-in-exports"),
  "versions/package.json": { main: "a.js", typesVersions: { "*": { sub: ["./types/sub.d.ts"] } } },
  "versions/types/sub.d.ts": VALUE,
  "versions/sub.js": cjs("versions"),
  "dual/package.json": {
    exports: {
      ".": { import: { types: "./a.d.mts", default: "./a.mjs" }, require: { types: "./a.d.cts", default: "./a.cjs" } },
    },
  },
  "dual/a.d.mts": `export declare const kind: "esm";\n`,
  "dual/a.d.cts": `export declare const kind: "cjs";\n`,
  "dual/a.mjs": esm("esm"),
  "dual/a.cjs": cjs("cjs"),
  "order/package.json": {
    exports: { ".": { types: "./a.d.ts", browser: "./none.js", node: "./node.mjs", default: "./none.js" } },
  },
  "order/a.d.ts": VALUE,
  "order/node.mjs": esm("order"),
  "self/package.json": {
    name: "self",
    type: "module",
    exports: { ".": { types: "./a.d.ts", default: "./a.js" }, "./inner": "./inner.js" },
  },
  "self/a.d.ts": VALUE,
  "self/a.js": `export { kind } from "self/inner";\n`,
  "self/inner.js": esm("self"),
  "internal/package.json": {
    type: "module",
    imports: { "#inner": "./inner.js" },
    exports: { types: "./a.d.ts", default: "./a.js" },
  },
  "internal/a.d.ts": VALUE,
  "internal/a.js": `export { kind } from "#inner";\n`,
  "internal/inner.js": esm("internal"),
  "with-data/package.json": {
    type: "module",
    exports: { ".": { types: "./a.d.ts", default: "./a.js" }, "./data.json": "./data.json" },
  },
  "with-data/a.d.ts": VALUE,
  "with-data/a.js": `import data from "./data.json" with { type: "json" };\nexport const kind = data.kind;\n`,
  "with-data/data.json": { kind: "with-data" },
  "with-wasm/package.json": { type: "module", exports: { types: "./a.d.ts", default: "./a.js" } },
  "with-wasm/a.d.ts": "export declare const size: number;\n",
  "with-wasm/a.js": `import { readFile } from "node:fs/promises";
const bytes = await readFile(new URL("./empty.wasm", import.meta.url));
export const size = Object.keys((await WebAssembly.instantiate(bytes)).instance.exports).length;\n`,
  "with-wasm/empty.wasm": "\0asm\u0001\0\0\0",
  "untyped/package.json": { main: "a.js" },
  "untyped/a.js": cjs("untyped"),
};

/** Files beside the notebook. */
const LOCAL: Readonly<Record<string, string | object>> = {
  "package.json": { name: "here", type: "module", imports: { "#lib": "./lib.ts" }, exports: { "./lib": "./lib.ts" } },
  "tsconfig.json": {
    compilerOptions: { strict: true, jsx: "react-jsx", jsxImportSource: "tiny", paths: { "@/*": ["./source/*"] } },
  },
  "lib.ts": `import { base } from "./source/base.js";\nexport const lib = base + 1;\nexport enum Side { Left = 4 }\nexport default await Promise.resolve("later");\n`,
  "source/base.ts": "export const base: number = 40;\n",
  "source/mapped.ts": `export const url = import.meta.url;\nexport const more = async () => (await import("./base.js")).base;\n`,
  "module.mts": `export const kind = "mts" as const;\n`,
  "common.cts": `const kind: string = "cts";\nexport = { kind };\n`,
  "plain.js": "export const plain = [1, 2];\n",
  "old.cjs": "module.exports = { old: __filename.endsWith('old.cjs') };\n",
  "a.ts": `import { b } from "./b";\nexport const a = (): string => "a";\nexport const both = (): string => a() + b();\n`,
  "b.ts": `import { a } from "./a";\nexport const b = (): string => a() + "b";\n`,
  "hidden.ts": `interface Hidden { size: number }\nexport const hidden = (): Hidden => ({ size: 6 });\n`,
  "careful.ts": `/** Not loaded: \`require("not-installed")\`. */\nlet found = "one";
try { found = require("not-there").name; } catch { found = "none"; }\nexport default found;\n`,
  "source/changing.ts": "export const version = 1;\n",
  "data.json": { rows: [1, 2, 3] },
  "node_modules/tiny/package.json": {
    exports: { "./jsx-runtime": { types: "./a.d.ts", default: "./a.mjs" } },
    type: "module",
  },
  "node_modules/tiny/a.d.ts": `export declare function jsx(type: unknown, props: object): string;
export declare namespace JSX { interface IntrinsicElements { [name: string]: object } type Element = string }\n`,
  "node_modules/tiny/a.mjs": "export const jsx = (type, props) => '<' + type + ' ' + JSON.stringify(props) + '>';\n",
};

const kindOf = (name: string): [string, unknown] => [`import { kind } from "${name}"; kind`, name.split("/")[0]];

/** Cells with what they show, or what the last of several shows. */
const CELLS: readonly (readonly [cell: string | readonly string[], value: unknown])[] = [
  ...["exports-only", "import-only", "awaits", "hidden-names", "types-in-exports", "versions/sub"].map(kindOf),
  ...["order", "self", "internal", "with-data", "untyped", "subpath/deep/one"].map(kindOf),
  [`import f, { kind } from "export-equals"; [f(), kind]`, ["called", "export-equals"]],
  [`import g = require("export-equals"); g.kind`, "export-equals"],
  [`import text, { other } from "interop"; [text, other]`, ["interop", 1]],
  [`import { kind } from "dual"; const esm: "esm" = kind; esm`, "esm"],
  [`const { kind } = require("dual"); kind`, "cjs"],
  [`import { size } from "with-wasm"; size`, 0],
  [
    `(await WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))).module instanceof WebAssembly.Module`,
    true,
  ],
  [`import data from "with-data/data.json" with { type: "json" }; data.kind`, "with-data"],
  [
    `import { readFileSync } from "fs"; import path from "node:path"; typeof readFileSync + path.basename("a/b")`,
    "functionb",
  ],
  [`import * as os from "node:os"; typeof os.cpus`, "function"],
  [`import * as path from "node:path"; [Object.keys(path).includes("sep"), { ...path }.sep]`, [true, sep]],
  [`import * as all from "./data.json"; Object.keys(all)`, ["rows", "default"]],
  [`import found from "./careful"; found`, "none"],
  [`import data from "./data.json" with { type: "json" }; data.rows.length`, 3],
  [`import data from "./data.json"; data.rows.map((n) => n * 2)`, [2, 4, 6]],
  [`(await import("./data.json", { with: { type: "json" } })).default.rows[0]`, 1],
  [`import later, { lib, Side } from "./lib.ts"; [later, lib, Side.Left]`, ["later", 41, 4]],
  [`import { lib } from "./lib"; lib`, 41],
  [`import { lib } from "./lib.js"; lib`, 41],
  [`import { lib } from "#lib"; lib`, 41],
  [`import { lib } from "here/lib"; lib`, 41],
  [`(await import("./lib")).lib`, 41],
  [`import { url, more } from "@/mapped"; [url.endsWith("source/mapped.ts"), await more()]`, [true, 40]],
  [`import { kind } from "./module.mjs"; kind`, "mts"],
  [`import common from "./common.cjs"; common.kind`, "cts"],
  [`import { plain } from "./plain.js"; plain[1]`, 2],
  [`import old from "./old.cjs"; old.old`, true],
  [`import { both } from "./a"; both()`, "aab"],
  [`export * from "./a"; export { b } from "./b"; b()`, "ab"],
  [`[import.meta.filename.startsWith(import.meta.dirname), import.meta.url.startsWith("file:")]`, [true, true]],
  [`[import.meta.resolve("./x.js").endsWith("/x.js"), import.meta.resolve("dual").endsWith("a.mjs")]`, [true, true]],
  [`new URL("./data.json", import.meta.url).pathname.endsWith("/data.json")`, true],
  [`const element = <b id="1">x</b>; element`, `<b {"id":"1","children":"x"}>`],
  ["enum E { A = 1, B = A << 2 } const enum F { C = 9 } [E.B, E[1], F.C]", [4, "A", 9]],
  [`const point = { x: 1 } satisfies Record<string, number>; point.x`, 1],
  [
    "function first<const T extends readonly unknown[]>(list: T): T[0] { return list[0]; } const one: 1 = first([1, 2]); one",
    1,
  ],
  ["function pick<T extends string>(all: T[], one: NoInfer<T>) { return all.indexOf(one); } pick(['a', 'b'], 'b')", 1],
  [
    [
      "let log: string[] = [];",
      "{ using it = { [Symbol.dispose]() { log.push('gone'); } }; log.push('here'); }",
      "log",
    ],
    ["here", "gone"],
  ],
  [
    [
      "let ended = 0;",
      "using top = { [Symbol.dispose]() { ended++; } }; const kept = 5; kept + ended",
      "[kept, ended]",
    ],
    [5, 1],
  ],
  [["let shut = 0;", "{ await using it = { async [Symbol.asyncDispose]() { await null; shut++; } }; }", "shut"], 1],
  [
    `function twice(f: (n: number) => number, _: ClassMethodDecoratorContext) { return (n: number) => 2 * f(n); }
class Sums { @twice plus(n: number) { return n + 1; } accessor size = 3; static #hidden = 4; static { Sums.#hidden++; } static get hidden() { return Sums.#hidden; } }
[new Sums().plus(2), new Sums().size, Sums.hidden]`,
    [6, 3, 5],
  ],
  ["/^\\p{Emoji}--\\d$/u.test('x') || /[\\p{L}--[a-z]]/v.test('B')", true],
  ["[3, 1, 2].toSorted().with(0, 9).at(-1)", 3],
  [
    "const { a, ...rest } = { a: 1, b: 2 }; let n: number | null = null; n ??= a; [n, rest, 1_000n ** 2n]",
    [1, { b: 2 }, 1_000_000n],
  ],
  ["for await (const n of (async function* () { yield 7; })()) globalThis.process.title = String(n); await (7)", 7],
  ["type Deep<T> = T extends (infer U)[] ? Deep<U> : T; const n: Deep<number[][]> = 5; n", 5],
  [
    "abstract class Shape { abstract area(): number } class Square extends Shape { override area() { return 4; } } new Square().area()",
    4,
  ],
  [[`import { hidden } from "./hidden"; const one = hidden(), two = 2`, "one.size + two"], 8],
  [["export default 5 + 5; const six = 6", "six"], 6],
  [["export default () => ({ a: 1 }); const seven = 7", "export default { seven }", "seven"], 7],
  [["const mixed = () => class { private secret = 1; get open() { return this.secret; } }", "new (mixed())().open"], 1],
  [
    [
      "function local() { class Local { z = 3 } return new Local(); } const made = local(), beside = 1",
      "made.z + beside",
    ],
    4,
  ],
  [
    [
      "if (true) { var inBlock = [5]; } for (var i = 0, { length } = 'ab'; i < 3; i++);",
      "inBlock[0].toFixed() + i + length",
    ],
    "532",
  ],
  ["const error = new Error('outer', { cause: 'inner' }); error.cause", "inner"],
];

let cells: Cells;
let folder: string;

beforeAll(() => {
  needBuild();
  folder = temporaryFolder("today");
  const write = (name: string, content: string | object): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  };
  for (const [name, content] of Object.entries(PACKAGES)) write(`node_modules/${name}`, content);
  for (const [name, content] of Object.entries(LOCAL)) write(name, content);
  mkdirSync(join(folder, "node_modules", "@types"), { recursive: true });
  for (const name of [
    "@types/node",
    "undici-types",
    "@types/papaparse",
    "apache-arrow",
    "papaparse",
    "fast-check",
    "vega-lite",
    "marked",
    "yauzl",
  ]) {
    symlinkSync(join(MODULES, name), join(folder, "node_modules", name));
  }
  cells = startCells(folder);
});

afterAll(() => cells.executor.close());

describe("a cell of today runs", () => {
  for (const [cell, value] of CELLS) {
    const all = typeof cell === "string" ? [cell] : cell;
    it(all.join(" | "), async () => {
      expect((await cells.run(...all)).at(-1)).toEqual(value);
    });
  }
});

describe("an installed package loads", () => {
  const REAL = [
    ["import { Table, vectorFromArray } from 'apache-arrow'; new Table({ a: vectorFromArray([1, 2]) }).numRows", 2],
    ["const arrow = await import('apache-arrow'); require('apache-arrow').Table === arrow.Table", true],
    ["import { Frame } from 'arrowbook'; require('arrowbook').Frame === Frame", true],
    ["import fc from 'fast-check'; typeof fc.assert", "function"],
    ["import { marked } from 'marked'; (await marked('*a*')).trim()", "<p><em>a</em></p>"],
    ["import Papa from 'papaparse'; Papa.parse('a,b').data[0]", ["a", "b"]],
  ] as const;
  for (const [cell, value] of REAL) {
    it(cell, async () => {
      expect((await cells.run(cell))[0]).toEqual(value);
    });
  }
});

it("a cell may declare the names of CommonJS", async () => {
  expect(
    await cells.run("const require = 5, exports = 6, module = 7; [require, exports, module]", "require + 1"),
  ).toEqual([[5, 6, 7], 6]);
});

it("a file that is imported by a path of tsconfig.json is loaded again when it changed", async () => {
  expect(await cells.run('import { version } from "@/changing"; version')).toEqual([1]);
  writeFileSync(join(folder, "source", "changing.ts"), "export const version = 22;\n");
  expect(await cells.run("version")).toEqual([22]);
});

it("a module that a cell defines again is loaded again", async () => {
  const define = (value: number): string => `/** @module defined */ export const value = ${value};`;
  expect(await cells.run(define(1), 'import { value } from "./defined"; value', define(2), "value")).toEqual([
    undefined,
    1,
    undefined,
    2,
  ]);
});

it("a file that was made after its import had failed is imported", async () => {
  const cell = `import "./made-later"`;
  expect(await cells.run(cell)).toEqual([expect.stringContaining("Cannot find module")]);
  writeFileSync(join(folder, "made-later.ts"), "globalThis.process.title = 'made later';\n");
  expect(await cells.run(cell, "process.title")).toEqual([undefined, "made later"]);
});

it("local files that import each other load also at once", async () => {
  const cell = `const [one, two] = await Promise.all([import("./a"), import("./b")]); one.both() + two.b()`;
  const fresh = startCells(folder);
  expect(await fresh.run(cell)).toEqual(["aabab"]);
  fresh.executor.close();
});

it("a local file in which a cell was interrupted is loaded again", async () => {
  const content =
    "process.env.WAITING = '1';\nif (!process.env.GO_ON) await new Promise(() => {});\nexport const waited = 1;\n";
  writeFileSync(join(folder, "waits.ts"), content);
  const cell = `import { waited } from "./waits"; waited`;
  const waiting = cells.run(cell);
  await expect.poll(() => process.env["WAITING"], { timeout: 60_000 }).toBe("1");
  cells.executor.interrupt();
  expect(await waiting).toEqual(["Interrupted: the cell was interrupted"]);
  expect(await cells.run(`process.env.GO_ON = "1"`, cell)).toEqual(["1", 1]);
});

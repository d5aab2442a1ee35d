import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CellError } from "../../src/kernel/runtime/trace.js";
import { isWhole, runs } from "../support/whole.js";
import { type Cells, startCells } from "./cells.js";

let cells: Cells;

beforeAll(() => {
  cells = startCells();
});

afterAll(() => cells.executor.close());

/** Names of every kind: of members of the language and of the compiler, and keywords in some places. */
const NAMES = ["total", "_", "$", "get", "target", "état", "name", "of", "label", "module"];

/** Statements with two numbers `x` and `y`, in every place where a name may be; `i` makes other names unique. */
const PLACES: readonly ((x: string, y: string, i: number) => string)[] = [
  (x, y) => `({ ${x} } = { ${x}: ${y} + 1 });`,
  (x) => `({ ${x} = 5 } = {} as { ${x}?: number });`,
  (x, y) => `({ k: ${x} } = { k: ${y} * 2 });`,
  (x, y) => `({ k: [${x} = 1, ...{ length: ${y} }] } = { k: [7, 2, 3] });`,
  (x, y) => `({ ["k" + ${x}]: ${y} = ${x} } = {} as Record<string, number>);`,
  (x, y) => `[${x}, ${y}] = [${y}, ${x}];`,
  (x, y) => `for (${x} of [1, 2]) ${y} += ${x};`,
  (x, y) => `for ({ ${x} } of [{ ${x}: ${y} }]) ${y}++;`,
  (x, y) => `for (${x} = 0; ${x} < 3; ${x}++) ${y}--;`,
  (x) => `for await (${x} of [Promise.resolve(4)]) log.push(${x});`,
  (x) => `for (const key in { ${x} }) log.push(key + ${x});`,
  (x, y) => `log.push(JSON.stringify({ ${x}, k: { ${y} }, [${x}]: ${y}, ...{ ${x} } }));`,
  (x, y) => `log.push(((${x} = 3, ${y} = ${x}) => ${x} + ${y})());`,
  (x) => `log.push(((q = ${x}, { r = ${x} } = {}) => q + r)());`,
  (x, y) => `log.push(\`\${${x}} \${\`\${${y}}\`}\`, String.raw\`\${${x}}\`);`,
  (x, y) => `${x}: for (;;) { ${y}++; break ${x}; }`,
  (x) => `{ let ${x} = 100; log.push({ ${x} }.${x}++); }`,
  (x) => `try { throw 3; } catch (${x}) { log.push({ ${x} }); }`,
  (x) => `hold = () => ++${x};`,
  () => "log.push(hold());",
  (x, y, i) => `function f${i}() { ${x}++; return { ${x}, ${y} }; } log.push(f${i}());`,
  (x, y, i) =>
    `class C${i} { ${x} = ${x}; static s = ${y}; get ${y}() { return ${y}; } #p = ${x}; p() { return this.#p; } }
     log.push(new C${i}().${x}, new C${i}().${y}, C${i}.s, new C${i}().p());`,
  (x, y, i) => `enum E${i} { ${x} = 4, other = ${x} * 2 } log.push(E${i}.other, ${y});`,
  (x, y, i) => `enum E${i} { other = Math.max(${x}, ${y}) } log.push(E${i}.other);`,
  (x, y, i) => `namespace N${i} { export const ${x} = 5; log.push({ ${x}, ${y} }); } log.push(N${i}.${x});`,
  (x, y, i) => `namespace N${i} { export const q = ${x}; ${y}++; }`,
  (x, y, i) => `type T${i} = typeof ${x}; let t${i}: T${i} = ${y} as typeof ${x}; log.push(t${i} satisfies number);`,
  (x, _, i) =>
    `interface I${i} { ${x}: number } const o${i}: I${i} = { ${x}: 3 }; const { ${x}: p${i} } = o${i}; log.push(p${i});`,
  (x, y) => `${x} ??= 1; ${y} **= 2; ${y} %= 1000; (${x} as number) = 4; ${y}!++;`,
  (x, y) => `log.push(typeof ${x}, -${x}, ${x} > ${y} ? ${x} : ${y}, (${x}++, ${y}), "k" in { ${x} }, void ${x});`,
  (x, y) => `switch (${x}) { case ${y}: log.push("same"); break; default: log.push({ ${x} }); }`,
  (x, y) => `log.push([...[${x}, ${y}]].at(-1), [[${x}]].flat(), new Array(3).fill(${x}));`,
  (x) => `log.push({ ${x}: 1 }.${x}, { ${x}() { return ${x}; } }.${x}(), { get ${x}() { return ${x}; } }.${x});`,
  (x, y) => `log.push([1, 2].map((${x}) => ({ ${x}, ${y} })));`,
  (x, y, i) => `function* g${i}() { yield ${x}; ${y} = yield; } log.push(...g${i}());`,
  (x, y) => `log.push(await (async () => { ${x} += await ${y}; return { ${x} }; })());`,
  (x, y, i) =>
    `const { a: a${i} = ${x}, ...r${i} } = { ${y} } as { a?: number; [key: string]: unknown }; log.push(a${i}, r${i});`,
  (x, y, i) => `export const e${i} = { ${x} }; export function h${i}() { return { ${y} }; }\nlog.push(e${i}, h${i}());`,
  (x, _, i) => `var v${i} = ${x};\nexport { v${i}, v${i} as w${i} };\nlog.push({ v${i} });`,
  (x) => `export default { ${x} };`,
  (x, y) => `call(${x}, ${y}); call?.(${x}); (call)(${y}); (call as any)({ ${x} }); call\`\${${y}}\`; new call(${x});`,
  (x, y) => `(function (exports: unknown, require: unknown) { ${x}++; log.push({ exports, ${y} }); })(1, 2);`,
];

/** A cell has either assertions in angle brackets or JSX. */
const ASSERTED: typeof PLACES = [(x, y) => `(<number>${x})--; log.push(<number>${y} + 1);`];

const JSX: typeof PLACES = [
  (x, y) => `log.push(<div a={${x}} b="${y}" {...{ ${x}, ${y} }}>{${x}} text {...[${y}, 7]}<b>{${y} + 1}</b></div>);`,
  (x, y) => `log.push(<Box ${x}={${x}} k={{ ${y} }} />, <Box>{({ ${x} }).${x}}</Box>);`,
  (x, y) => `log.push(<Lib.Item key={${x}}>{[${y}].map((${x}) => <li>{{ ${x} }}</li>)}</Lib.Item>);`,
  (x, y) => `log.push(<>{${x}}<i>{((${y} = 8) => ${y} + ${x})()}</i>{/* ${x} */}</>, <Box {...Lib.Item({ ${y} })}/>);`,
  (x, y, i) =>
    `const Own${i} = (props: object) => <p {...props}>{${x}++}</p>; log.push(<Own${i} n={${y}} />, Own${i}({ ${x} }));`,
  (x, y) => `for (const Box of [(props: object) => ({ ...props, ${x} })]) log.push(Box({}), <Box {...{ ${y} }} />);`,
];

/** The last lines run in a cell of their own: what functions of earlier cells see of the numbers, and the log. */
const END = "JSON.stringify({ log, held: hold(), seen: seen() })";

const start = (x: string, y: string): string =>
  `let log: unknown[] = [], ${x}: number = 2, ${y}: number = 3, hold: () => number = () => ${x};
  function seen() { return { ${x}, ${y} }; }
  const React = {
    createElement: (type: any, props: any, ...children: any[]) => ({ type: type.call?.(0, { k: 1 }) ?? type, props, children }),
    Fragment: "fragment",
  };
  let Box = (props: any) => props, Lib = { Item: (props: any) => ({ ...props, item: true }) };
  function call(this: unknown, ...values: unknown[]) { log.push(values, this === globalThis, new.target === undefined); }`;

const program = fc
  .tuple(
    fc.shuffledSubarray(NAMES, { minLength: 2, maxLength: 2 }),
    fc.oneof(
      ...[ASSERTED, JSX].map((more) =>
        fc.array(fc.tuple(fc.constantFrom(...PLACES, ...more), fc.boolean(), fc.boolean()), {
          minLength: 3,
          maxLength: 12,
        }),
      ),
    ),
  )
  .map(([[x, y], chosen]) => {
    const own: string[][] = [[start(x, y)]];
    chosen.forEach(([place, isSwapped, isNewCell], i) => {
      const code = isSwapped ? place(y, x, i) : place(x, y, i);
      if (isNewCell) own.push([code]);
      else own.at(-1)!.push(code);
    });
    return own.map((lines) => lines.join("\n"));
  });

/** Only one default export fits into one cell. */
const joined = (sources: readonly string[]): string =>
  sources.join("\n").replaceAll("export default", "void").replaceAll(/^/gm, "");

describe("names of earlier cells", () => {
  it("mean in every place what they mean in their own cell", async () => {
    for (const [i, place] of [...PLACES, ...ASSERTED, ...JSX].entries()) {
      if (!isWhole && i % 5 > 0) continue;
      const sources = [start("total", "$"), place("total", "$", i), END];
      const [whole] = await cells.run(joined(sources));
      expect(whole, sources[1]).toMatch(/^\{"log":/);
      expect((await cells.run(...sources)).at(-1), sources[1]).toBe(whole);
    }
  });

  it("give the same result however a program is split into cells", async () => {
    await fc.assert(
      fc.asyncProperty(program, async (sources) => {
        const [whole] = await cells.run(joined([...sources, END]));
        expect(whole).toMatch(/^\{"log":/);
        expect((await cells.run(...sources, END)).at(-1)).toBe(whole);
      }),
      { numRuns: runs(8) },
    );
  });

  it("are read and written where they are, by functions of every cell", async () => {
    const sources = ["let n = 0; const get = () => n; function inc() { n++; }", "n = 5; inc();", "[n, get()]"];
    expect((await cells.run(...sources)).at(-1)).toEqual([6, 6]);
    expect(await cells.run('let n = "new";', "inc(); [n, get()]")).toEqual([undefined, ["new", 7]]);
  });

  it("stay for all later cells: namespaces, enums, aliases, augmented modules and types", async () => {
    const declared = `namespace Shapes { export const sides = 3; export type Side = number }
import Alias = Shapes.sides;
const enum Fixed { A = 4 }
declare global { interface Array<T> { firstOf(): T } }
abstract class Base<T> { constructor(readonly value: T) {} }
export interface Point { x: number }
const point: Point = { x: 1 };`;
    const use = "const { x: renamed } = point; let side: Shapes.Side = Alias; [Shapes.sides, side, Fixed.A, renamed]";
    expect(await cells.run(declared, "0", "1", use)).toEqual([undefined, 0, 1, [3, 3, 4, 1]]);
    expect(await cells.run("class Own extends Base<number> {}; new Own(2).value", "([] as number[]).firstOf")).toEqual([
      2,
      undefined,
    ]);
    expect(await cells.run("const Shapes = 5;", "Shapes + 1")).toEqual([undefined, 6]);
  });

  it("keep their values if a cell that declares them again fails", async () => {
    expect(await cells.run("let kept = 1; const held = [kept];", "kept++;")).toEqual([undefined, 1]);
    expect(await cells.run('let kept = "x"; throw new Error("no");')).toEqual(["Error: no"]);
    expect(await cells.run("[kept.toFixed(1), held]")).toEqual([["2.0", [1]]]);
  });

  it("are components and the factory of JSX, never its elements in lower case", async () => {
    const declared = `const React = { createElement: (...parts: any[]) => parts, Fragment: "fragment" };
const b = 5, _b = (props: { a: number }) => props;`;
    expect(await cells.run(declared, "<b>{b}</b>", "const made = <><_b a={b} /></>; made")).toEqual([
      undefined,
      ["b", null, 5],
      ["fragment", null, [expect.any(Function), { a: 5 }]],
    ]);
    expect(await cells.run('<_b a="x" />', "const React = { createElement: () => 0 }; <b/>", "<b/>")).toEqual([
      "TypeScriptError: 1:5 - Type 'string' is not assignable to type 'number'.",
      0,
      0,
    ]);
    expect(await cells.run("let left = <any>b < 6, right = /2>/.test('</b>'); [left, right]")).toEqual([[true, false]]);
  });

  it("may be exported, also by default", async () => {
    for (const code of ["export default 5", "export default class {}", "export default function () {}"]) {
      expect(await cells.run(code), code).toEqual([undefined]);
    }
    expect(await cells.run("export default class Named {}", "Named.name", "export { Named };")).toEqual([
      undefined,
      "Named",
      undefined,
    ]);
  });
});

it("an error in a function of an earlier cell names the place of its call", async () => {
  await cells.run("function fail() {\n  throw new Error('no');\n}");
  const { error } = (await cells.executor.run("1;\n2;\n  fail();", 4242)) as { error: CellError };
  expect(error.traceback.join("\n")).toMatch(/at fail \(cell \[\d+\]:2:9\)\n {4}at cell \[4242\]:3:3/);
});

describe("a type that a cell declares again", () => {
  const SHAPE = "class Shape { #side = 1; area() { return this.#side; } next?: Shape }";

  it("leaves the values of earlier cells with the type that they have", async () => {
    await cells.run(SHAPE, "const old = new Shape(), list = [old];", "class Square extends Shape {}");
    expect(await cells.run("class Shape { #side = 2; edge() { return this.#side; } }", "new Shape().edge()")).toEqual([
      undefined,
      2,
    ]);
    expect(await cells.run("old.area() + list[0].area() + new Square().area()", "old.next?.area()")).toEqual([
      3,
      undefined,
    ]);
    const [again, mixed] = await cells.run("const copy = old; copy.area()", "const wrong: Shape = old;");
    expect(again).toBe(1);
    expect(mixed).toMatch(/^TypeScriptError: 1:7 - .*'Shape \(earlier\)'.*'Shape'/);
    expect(await cells.run("enum Level { Low }", "const low = Level.Low;", "enum Level { High }", "low === 0")).toEqual(
      [undefined, undefined, undefined, true],
    );
  });

  it("as it was is the same type", async () => {
    await cells.run(SHAPE, "const first = new Shape();", SHAPE);
    expect(await cells.run("const both: Shape[] = [first, new Shape()]; both.length")).toEqual([2]);
  });

  it("also by an import, and by one that is imported already", async () => {
    const node = (name: string): string => `import { ${name} } from "node:url";`;
    await cells.run(node("URL"), "const address = new URL('http://a.b/c');", node("URL"));
    expect(await cells.run("const same: URL = address; same.pathname")).toEqual(["/c"]);
    await cells.run("class URL { mine = 1 }");
    expect(await cells.run("address.pathname + new URL().mine")).toEqual(["/c1"]);
  });

  it("as often as it changes leaves no declaration that no value needs", async () => {
    for (let i = 0; i < 4; i++) {
      await cells.run(
        `class Part { n${i} = new Other() } class Other { parts: Part[] = [] }`,
        "let part = new Part();",
      );
      expect(await cells.run(`part.n${i}.parts.length`)).toEqual([0]);
    }
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import ts from "typescript";
import { afterEach, expect, it } from "vitest";
import { type LiveViewSpec, offerLiveHost } from "../../src/display/base/live-view.js";
import { bundleOf } from "../../src/display/table/foreign.js";
import { PAGE_QUERY } from "../../src/display/table/page-query.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll, forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt, runs } from "../support/whole.js";

/* The statement that explore() shows gives the rows that it shows. */
const COLUMNS = columnSpecs({
  n: "Integer",
  "d d": "BigDecimal(20,2)",
  x: "double",
  's"\\': "String",
  day: "Date",
  time: "DateTime",
  is: "boolean",
});

const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 });
const integer = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map(String),
  fc.constantFrom("9007199254740993", "9007199254740992"),
);
const decimal = fc.constantFrom("1.00", "1.50", "-0.01", "0.00", "10.00", "90071992547409.93", "90071992547409.92");
const double = fc.constantFrom(0, -0, 0.1, 1e-7, -1.5, 1e21, Number.NaN, Number.POSITIVE_INFINITY);
const text = fc.constantFrom("", "a", "A", "ab", "null", "ü", "İ", "\u{1f600}", "\uffff", 'q"\n\\', "__proto__");
const day = fc.constantFrom("2024-01-02", "2024-02-29", "1999-12-31");
const time = fc.constantFrom("2024-01-02T00:00:00.000Z", "2024-01-02T09:30:00.500Z", "2024-02-29T23:59:59.999Z");
const row = fc.tuple(
  ...[integer, decimal, double, text, day, time, fc.boolean()].map((cell) => nullable<unknown>(cell)),
);

const sign = fc.constantFrom("<", "<=", ">", ">=", "=", "!=", "= ");
const number = fc.oneof(integer, decimal, fc.constantFrom("0.1", "1e21", "1.", "-0", "01", "0.010", "1e-2"));
const limit = fc.oneof(number, text, day, time, fc.constantFrom("true", "false", "x"));
const filter = fc.oneof(
  fc.tuple(sign, limit).map(([mark, value]) => mark + value),
  fc.tuple(number, number).map(([low, high]) => `${low}..${high}`),
  fc.tuple(day, day).map(([low, high]) => `${low} .. ${high}`),
  fc.constantFrom("null", "!null", "NULL", "", " ", ">", "!=", ">x", "1", "0.", "a", "2024-0", "t", "T09", "nu", "e"),
);
const action = fc.oneof(
  fc.record({ filter, at: fc.nat(COLUMNS.length - 1) }),
  fc.record({ sort: fc.nat(COLUMNS.length - 1) }),
);

interface State {
  filters: string[];
  sort: { column: number; descending: boolean } | null;
}

/** What clicks and typing leave. */
function stateOf(actions: readonly ({ filter: string; at: number } | { sort: number })[]): State {
  const state: State = { filters: COLUMNS.map(() => ""), sort: null };
  for (const one of actions) {
    if ("filter" in one) state.filters[one.at] = one.filter;
    else if (state.sort?.column !== one.sort) state.sort = { column: one.sort, descending: false };
    else state.sort = state.sort.descending ? null : { column: one.sort, descending: true };
  }
  return state;
}

const frameOf = (rows: readonly (readonly unknown[])[]): Frame =>
  Frame.fromRows(
    rows.map((cells) => Object.fromEntries(COLUMNS.map(({ name }, i) => [name, cells[i]]))),
    COLUMNS,
  );

const cellsOf = (frame: Frame): unknown => COLUMNS.map(({ name }) => frame.column(name).toStrings());

/** The frame that a statement gives. */
function run(code: string | null, frame: Frame): Frame {
  if (code === null) return frame;
  const lines = code.split("\n");
  lines.push(`return ${lines.pop()}`);
  return new Function("frame", lines.join("\n"))(frame) as Frame;
}

afterEach(() => offerLiveHost(undefined as never));

/** The rows that the kernel sends, and their statement. */
async function inKernel(frame: Frame, { filters, sort }: State): Promise<{ numbers: number[]; code: string | null }> {
  let spec: LiveViewSpec | undefined;
  let reply: { numbers: number[]; code: string | null } | undefined;
  offerLiveHost({
    open(given) {
      spec = given;
      return { send: (page) => (reply = page as typeof reply), keep: () => undefined, close: () => undefined };
    },
  });
  bundleOf(frame.explore({ page: 500 }));
  spec?.onMessage({ kind: "page", seq: 1, first: 0, filters, sort });
  await new Promise((done) => setImmediate(done));
  return reply as NonNullable<typeof reply>;
}

type PageQuery = (
  data: unknown,
  wanted: string[],
  sorted: number,
  down: boolean,
) => { order: number[]; code: string | null };
const query = new Function(`return ${PAGE_QUERY}`)() as PageQuery;

/** The rows that the script in a page shows, and their statement. */
function inPage(frame: Frame, { filters, sort }: State, rows: number) {
  offerLiveHost(undefined as never);
  const data = /\("arrowbook-[0-9a-f]{12}", (\{.*\})\)<\/script>$/s.exec(frame.explore({ rows }).toHTML())?.[1] ?? "";
  return query(JSON.parse(data), filters, sort?.column ?? -1, sort?.descending ?? false);
}

const sequences = fc.tuple(fc.array(row, { maxLength: 24 }), fc.array(action, { minLength: 1, maxLength: 6 }));

it("gives the rows of the kernel", async () => {
  await forAllAsync(runs(500), sequences, async ([rows, actions]) => {
    const frame = frameOf(rows);
    const { numbers, code } = await inKernel(frame, stateOf(actions));
    expect([code, cellsOf(run(code, frame))]).toEqual([code, cellsOf(frame.take(numbers))]);
  });
});

it("gives the rows of a page, of which it may hold the first only", () => {
  forAll(runs(500), sequences, fc.constantFrom(10, 1_000), ([rows, actions], held) => {
    const frame = frameOf(rows);
    const { order, code } = inPage(frame, stateOf(actions), held);
    const found = code === null ? frame.head(held) : run(code, frame);
    expect([code, cellsOf(found)]).toEqual([code, cellsOf(frame.take(order))]);
  });
});

it("is short, with numbers as such", async () => {
  const frame = frameOf([["1", "1.50", 0.1, "a", null, null, true]]);
  const state = stateOf([
    { at: 0, filter: ">0" },
    { at: 1, filter: "1.50..90071992547409.93" },
    { at: 3, filter: "A" },
    { at: 6, filter: "=true" },
    { sort: 4 },
    { sort: 4 },
  ]);
  expect(await inKernel(frame, state)).toMatchObject({
    numbers: [0],
    code: String.raw`frame.filter(frame.column("n").gt(0).and(frame.column("d d").between("1.50", "90071992547409.93")).and(frame.column("s\"\\").lower().contains("a")).and(frame.column("is").eq(true))).sort(["day","desc"])`,
  });
  expect(inPage(frameOf([...Array(20)].map(() => Array(7).fill(null))), stateOf([{ sort: 0 }]), 10).code).toBe(
    'const first = frame.head(10);\nfirst.sort("n")',
  );
  expect((await inKernel(frame, stateOf([]))).code).toBeNull();
});

it("is left out where names are equal", async () => {
  const twice = Frame.from(
    frameOf([])
      .select("n", "x")
      .rename(["n", "n"] as never).table,
  );
  const { code } = await inKernel(twice, { filters: [">1", ""], sort: null });
  expect(code).toBeNull();
});

longIt(
  "compiles, beside a frame of known and of unknown columns",
  async () => {
    const codes: string[] = [];
    await forAllAsync(runs(500), fc.array(action, { minLength: 1, maxLength: 6 }), async (actions) => {
      const frame = frameOf([["1", "1.00", 0.5, "a", "2024-01-02", "2024-01-02T00:00:00.000Z", true]]);
      const state = stateOf(actions);
      for (const { code } of [await inKernel(frame, state), inPage(frame, state, 1_000)])
        if (code !== null) codes.push(code);
    });
    const index = fileURLToPath(new URL("../../src/index.js", import.meta.url));
    const row = `{ n: number | bigint; "d d": number; x: number; "s\\"\\\\": string; day: string; time: string; is: boolean }`;
    const body = codes.map((code) => `{ ${code}; }`).join("\n");
    const path = join(temporaryFolder(), "codes.ts");
    writeFileSync(
      path,
      `import type { Frame } from ${JSON.stringify(index)};\n` +
        `export function any(frame: Frame) {\n${body}\n}\nexport function known(frame: Frame<${row}>) {\n${body}\n}\n`,
    );
    const options = {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    };
    const program = ts.createProgram([path], options);
    const faults = ts.getPreEmitDiagnostics(program, program.getSourceFile(path));
    expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  },
  120_000,
);

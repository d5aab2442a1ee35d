import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type Execution, type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";
import { needBuild } from "./build.js";

/** A folder in which no package is installed: the kernel brings its own. */
const folder = temporaryFolder("prelude");
const env = { ...process.env, ARROWBOOK_URL: "" };

beforeAll(needBuild);

const start = (...flags: string[]): Promise<KernelClient> => {
  const spec = findKernel("arrowbook");
  return startKernel({ ...spec, argv: [...spec.argv, ...flags] }, { folder, env });
};

const published = (execution: Execution, type: string): unknown[] =>
  execution.published.filter((message) => message.header.msg_type === type).map((message) => message.content);

const text = (execution: Execution): unknown =>
  (published(execution, "execute_result")[0] as { data?: Record<string, unknown> } | undefined)?.data?.["text/plain"];

describe("the names that need no import", () => {
  let kernel: KernelClient;

  beforeAll(async () => {
    kernel = await start();
  });

  afterAll(async () => {
    await kernel.shutdown();
  });

  const matches = async (code: string, cursor = code.length): Promise<unknown> =>
    (await kernel.request("complete_request", { code, cursor_pos: cursor })).reply.content["matches"];

  it("are completed at once, with their types", async () => {
    expect(await matches("conn")).toContain("connect");
    expect(await matches("service.")).toEqual(expect.arrayContaining(["catalog", "database", "dataset", "table"]));
    expect(await matches("Frame.fromC")).toEqual(["fromColumns", "fromCSV"]);
  });

  it("complete the option values of the service", async () => {
    const code = 'service.dataset("MARKET/AAA").collapse("")';
    expect(await matches(code, code.length - 2)).toEqual(["annual", "daily", "monthly", "none", "quarterly", "weekly"]);
  });

  it("complete columns of a declared row type in select, where and column", async () => {
    await kernel.execute(
      "interface Price { ticker: string; date: string; close: number }\nconst t = service.table<Price>('MARKET/PRICES');",
    );
    const columns = ["close", "date", "ticker"];
    for (const code of ['t.select("")', "t.where({  })"]) {
      expect(await matches(code, code.length - 2)).toEqual(columns);
    }
  });

  it("give the sample where no service is named", async () => {
    const execution = await kernel.execute(
      "(await service.table('MARKET/PRICES').where({ ticker: 'AAA' }).frame()).numRows",
    );
    expect(text(execution)).toBe("6522");
  });

  it("may be redeclared", async () => {
    expect(text(await kernel.execute("const service = 5; service + 1"))).toBe("6");
    expect(text(await kernel.execute("service + 2"))).toBe("7");
    expect(text(await kernel.execute("const display = 'mine'; display.length"))).toBe("4");
  });

  it("leave the requests beneath an interrupted cell aborted", async () => {
    await kernel.execute("let ended = 'no';");
    const code = `const { connect: c } = await import("arrowbook");
const slow = await c.sample();
const asked = slow.table("TRANSPORT/FLIGHTS").export({ poll: { first: 60_000 } }).frame().catch((error: Error) => { ended = error.name; });
console.log("asked");
await asked;`;
    let running: Promise<Execution> | undefined;
    await new Promise<void>((asked) => {
      running = kernel.execute(code, { onMessage: (message) => message.header.msg_type === "stream" && asked() });
    });
    await kernel.interrupt();
    expect((await running!).reply.content).toMatchObject({ status: "error", ename: "Interrupted" });
    await vi.waitFor(async () => expect(text(await kernel.execute("ended"))).toBe("AbortError"), { timeout: 120_000 });
  });
});

it("a prelude of one's own runs before the first cell, with types", async () => {
  const file = join(folder, "prelude.ts");
  writeFileSync(file, "const mine: number = 41;\nfunction plus(n: number): number { return n + mine; }\n");
  const kernel = await start("--prelude", file);
  const first = await kernel.execute("plus(1)");
  expect(text(first)).toBe("42");
  expect(first.reply.content["execution_count"]).toBe(1);
  await kernel.shutdown();
});

longIt("a prelude that fails says so, and the cells still run", async () => {
  const file = join(folder, "broken.ts");
  writeFileSync(file, "const broken: number = 'text';\n");
  const kernel = await start("--prelude", file);
  const first = await kernel.execute("1 + 1");
  expect(JSON.stringify(published(first, "stream"))).toContain("The prelude failed");
  expect(text(first)).toBe("2");
  await kernel.shutdown();
});

longIt("packages that have only exports load, and strict checks come on request", async () => {
  const place = join(folder, "node_modules", "exports-only");
  mkdirSync(place, { recursive: true });
  const manifest = { name: "exports-only", exports: { ".": { types: "./a.d.ts", default: "./a.js" } } };
  writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(place, "a.d.ts"), "export declare const seven: number;\n");
  writeFileSync(join(place, "a.js"), "exports.seven = 7;\n");
  const code = 'import { seven } from "exports-only";\nseven';
  const loose = "let n: string = null;\nconst f = (x) => x;\n'loose'";
  const plain = await start();
  expect(text(await plain.execute(code))).toBe("7");
  expect(text(await plain.execute(loose))).toBe("loose");
  await plain.shutdown();
  // The second option is of kernelspecs that were installed earlier.
  const strict = await start("--strict", "--bundler");
  expect((await strict.execute(loose)).reply.content["ename"]).toBe("TypeScriptError");
  await strict.shutdown();
});

it("a kernel of the user takes the arrowbook of the notebook's project", async () => {
  const project = join(folder, "project");
  const files = {
    "package.json": JSON.stringify({
      name: "arrowbook",
      exports: {
        ".": { types: "./a.d.ts", default: "./a.mjs" },
        "./notebook": { types: "./n.d.ts", default: "./n.mjs" },
        "./package.json": "./package.json",
      },
    }),
    "a.d.ts": "export declare class Frame { static readonly owner: 'project'; }\n",
    "a.mjs": "export class Frame { static owner = 'project'; }\n",
    "n.d.ts": "export declare const range: (end: number) => 'mine';\n",
    "n.mjs": "export const range = () => 'mine';\n",
  };
  mkdirSync(join(project, "node_modules", "arrowbook"), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(project, "node_modules", "arrowbook", name), content);
  }
  const kernel = await startKernel(findKernel("arrowbook"), { folder: project, env });
  const code = 'import { Frame as Imported } from "arrowbook";\n[Frame.owner, range(1), Imported === Frame].join()';
  expect(text(await kernel.execute(code))).toBe("project,mine,true");
  expect((await kernel.execute("const other: 'x' = Frame.owner")).reply.content["evalue"]).toContain(`'"project"'`);
  await kernel.shutdown();
});

longIt("an idle kernel whose cells have not used the package stays below 200 MB", async () => {
  const kernel = await start();
  const pid = text(await kernel.execute("process.pid"));
  await sleep(5000);
  const kilobytes = Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
  expect(kilobytes / 1024).toBeLessThan(200);
  await kernel.shutdown();
});

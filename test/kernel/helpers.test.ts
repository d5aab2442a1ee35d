import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type Execution, type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { needBuild } from "./build.js";

/* What cells can call without an import: input, the shell, timing; and what an editor's user changes meanwhile. */
const folder = temporaryFolder("helpers");
let kernel: KernelClient;

beforeAll(async () => {
  needBuild();
  kernel = await startKernel(findKernel("arrowbook"), { folder, env: { ...process.env, ARROWBOOK_URL: "" } });
});

afterAll(async () => {
  await kernel.shutdown();
});

type Input = (question: string, isSecret: boolean) => string | Promise<string>;

const run = (code: string, onInput?: Input): Promise<Execution> => kernel.execute(code, { timeout: 120_000, onInput });

const textOf = ({ published, reply }: Execution): unknown => {
  if (reply.content["status"] !== "ok") return `${reply.content["ename"]}: ${reply.content["evalue"]}`;
  const shown = published.find(({ header }) => header.msg_type === "execute_result");
  return (shown?.content["data"] as Record<string, unknown> | undefined)?.["text/plain"];
};

const processes = (): string => execFileSync("ps", ["ax"], { encoding: "utf8" });

const streamed = ({ published }: Execution): string =>
  published
    .filter(({ header }) => header.msg_type === "stream")
    .map(({ content }) => content["text"])
    .join("");

describe("HTML, Markdown and documents", () => {
  const shown = async (code: string): Promise<unknown> =>
    (await run(code)).published.find(({ header }) => /^(?:display_data|execute_result)$/.test(header.msg_type))
      ?.content["data"];

  it("html, md and display() of a MIME bundle need no import", async () => {
    expect(await shown(`html\`<b>\${"<i>"}</b>\``)).toMatchObject({ "text/html": "<b>&lt;i&gt;</b>" });
    expect(await shown(`md\`**\${"*"}**\``)).toMatchObject({ "text/markdown": "**\\***" });
    expect(await shown('display({ "text/html": "<b>1</b>" })')).toEqual({ "text/html": "<b>1</b>" });
  });

  it("an element of a DOM is a picture, and an error without a document names a package that has one", async () => {
    expect(await shown('({ outerHTML: "<svg><g/></svg>" })')).toMatchObject({
      "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>',
    });
    for (const code of ["eval('document.title')", "const page: any = undefined; page.createElement('p')"]) {
      const { reply } = await run(code);
      expect(reply.content["traceback"]).toContainEqual(expect.stringMatching(/no document.*linkedom/));
    }
    expect((await run("document.title")).reply.content["traceback"]).toContainEqual(expect.stringMatching(/linkedom/));
  });
});

describe("input", () => {
  it("prompt() returns the line, or the initial value for an empty one", async () => {
    const asked: unknown[] = [];
    const answers = ["Ada", ""];
    const onInput: Input = (question, isSecret) => {
      asked.push([question, isSecret]);
      return answers.shift() ?? "";
    };
    expect(textOf(await run(`prompt("Name?") + prompt("City?", " of Paris")`, onInput))).toBe("Ada of Paris");
    expect(asked).toEqual([
      ["Name? ", false],
      ["City? ", false],
    ]);
    expect(textOf(await run(`await prompt()`, () => "naïve 😀"))).toBe("naïve 😀");
  });

  it("confirm() asks until it is answered", async () => {
    const answers = ["perhaps", "Yes"];
    expect(textOf(await run("confirm('Continue?')", () => answers.shift() ?? "n"))).toBe("true");
    expect(textOf(await run("confirm()", () => ""))).toBe("false");
  });

  it("password() stays out of every message and of the history", async () => {
    const secret = `canary "4<9&` + "7";
    const seen: Execution[] = [];
    const asked: boolean[] = [];
    seen.push(
      await run(`const key = password(); console.log("key", key);`, (_, isSecret) => {
        asked.push(isSecret);
        return secret;
      }),
    );
    for (const code of [
      "key",
      "({ key, inside: [key] })",
      "Frame.fromRows([{ key }])",
      "display({ [Symbol.for('Jupyter.display')]: () => ({ 'text/html': '<b>' + encodeURIComponent(key) + '</b>' }) })",
      "throw new Error('refused ' + key)",
    ]) {
      seen.push(await run(code));
    }
    seen.push(await kernel.request("history_request", { hist_access_type: "tail", n: 20, output: true, raw: true }));
    const request = { type: "request", seq: 1, command: "inspectVariables", arguments: {} };
    seen.push(await kernel.request("debug_request", request, { channel: "control" }));
    const messages = JSON.stringify(seen);
    expect(asked).toEqual([true]);
    expect(messages).toContain("[secret]");
    for (const form of [secret, "canary &quot;4&lt;9", encodeURIComponent(secret), JSON.stringify(secret)]) {
      expect(messages).not.toContain(JSON.stringify(form).slice(1, -1));
    }
    expect(messages).not.toContain("canary");
    expect(textOf(await run("key.length"))).toBe(String(secret.length));
  });

  it("is refused where the front end takes none", async () => {
    expect(textOf(await run("prompt('Name?')"))).toContain("There is no front end that takes input");
    expect(textOf(await run("1 + 1"))).toBe("2");
  });

  it("ends with an interrupt, and the kernel continues", async () => {
    const waiting = run("prompt('Name?')", async () => {
      void kernel.interrupt();
      return new Promise<string>(() => undefined);
    });
    expect(textOf(await waiting)).toMatch(/^Interrupted/);
    expect(textOf(await run("2 + 2"))).toBe("4");
    expect(textOf(await run("prompt('Again?')", () => "yes"))).toBe("yes");
  });
});

describe("sh()", () => {
  it("prints both streams as they come, in the folder of the notebook", async () => {
    writeFileSync(join(folder, "a.txt"), "");
    const execution = await run(`await sh("ls *.txt; echo oops >&2")`);
    expect(streamed(execution)).toContain("a.txt\n");
    expect(streamed(execution)).toContain("oops\n");
    expect(textOf(execution)).toBe(undefined);
  });

  it("returns the output on request, with variables of the environment", async () => {
    const execution = await run(`await sh("echo $OWN", { capture: true, env: { OWN: "a value" } })`);
    expect(textOf(execution)).toBe("a value");
    expect(streamed(execution)).toBe("");
  });

  it("fails with the exit code", async () => {
    expect(textOf(await run(`await sh("exit 3")`))).toMatch(/InputError: The command ended with exit code 3/);
    expect(textOf(await run(`await sh("")`))).toMatch(/InputError: sh\(\) expects a command line/);
  });

  it("ends with an interrupt, with all that the shell started", async () => {
    const mark = `sleep 61.${process.pid}`;
    const running = run(`await sh("echo begun; ${mark}; echo not reached")`);
    await expect.poll(processes, { timeout: 120_000 }).toContain(mark);
    await kernel.interrupt();
    expect(textOf(await running)).toMatch(/^Interrupted/);
    await expect.poll(processes, { timeout: 120_000 }).not.toContain(mark);
  });
});

describe("timeit()", () => {
  it("measures a function, and awaits one that returns a promise", async () => {
    expect(textOf(await run("timeit(() => Math.sqrt(2))"))).toMatch(
      /^[\d.]+ (ns|µs) ± .* per call \(7 runs of \d+ calls/,
    );
    const slow = await run("await timeit(() => new Promise((done) => setTimeout(done, 120)))");
    expect(textOf(slow)).toMatch(/^[\d.]+ m?s ± .* per call \(7 runs of 1 call, best /);
    expect(textOf(await run("timeit(5 as never)"))).toMatch(/InputError: timeit\(\) expects a function/);
  });
});

describe("local modules", () => {
  it("are loaded again when their file, or one that they import, changed", async () => {
    writeFileSync(join(folder, "two.ts"), "export const two = 2;\n");
    writeFileSync(
      join(folder, "lib.ts"),
      `import { two } from "./two";\nexport const triple = (n: number): number => n * (1 + two);\nexport default "first";\n`,
    );
    writeFileSync(join(folder, "data.json"), '{ "k": 1 }');
    await run(`import { triple as thrice } from "./lib";\nimport label from "./lib";\nimport * as lib from "./lib";`);
    expect(textOf(await run("[thrice(10), label, lib.triple(1)].join()"))).toBe("30,first,3");
    writeFileSync(join(folder, "two.ts"), "export const two = 9;\n");
    expect(textOf(await run("thrice(10)"))).toBe("100");
    writeFileSync(
      join(folder, "lib.ts"),
      `export const triple = (t: string): string => t.repeat(3);\nexport default 2;\n`,
    );
    expect(textOf(await run(`[thrice("ab"), label + 1, lib.triple("c")].join()`))).toBe("ababab,3,ccc");
    expect(textOf(await run("thrice(10)"))).toMatch(/TypeScriptError/);
    expect(textOf(await run(`import data from "./data.json";\ndata.k`))).toBe("1");
    writeFileSync(join(folder, "data.json"), '{ "k": 22 }');
    expect(textOf(await run(`import data from "./data.json";\ndata.k`))).toBe("22");
  });

  it("keep their last good state where the new one does not compile", async () => {
    writeFileSync(join(folder, "good.ts"), "export const value = 1;\n");
    await run(`import { value } from "./good";`);
    writeFileSync(join(folder, "good.ts"), "export const value: number = 'text';\n");
    const execution = await run("'still here'");
    expect(streamed(execution)).toContain("A local file changed and could not be loaded again");
    expect(textOf(execution)).toBe("still here");
    writeFileSync(join(folder, "good.ts"), "export const value = 5;\n");
    expect(textOf(await run("value"))).toBe("5");
  });

  it("are not imported again for a name that a cell has redeclared", async () => {
    writeFileSync(join(folder, "mine.ts"), "export const mine = 1;\n");
    await run(`import { mine } from "./mine";`);
    await run("const mine = 'own';");
    writeFileSync(join(folder, "mine.ts"), "export const mine = 2;\n");
    expect(textOf(await run("mine"))).toBe("own");
  });
});

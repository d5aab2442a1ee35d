// The part of test:lab for the debugger: twelve steps by mouse and keyboard, each with a picture.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "../support/eventually.mjs";

const pictures = fileURLToPath(new URL("pictures", import.meta.url));
const LIBRARY = "export function half(n: number): number {\n  const rest = n / 2;\n  return rest;\n}\n";

const CELLS = {
  twice: "function twice(n: number): number {\n  const result: number = n * 2;\n  return result;\n}",
  loop: [
    'const table = Frame.fromRows([{ city: "Bern", n: 1 }, { city: "Rome", n: 2 }]);',
    "let total = 0;",
    "for (const row of table.rows()) {",
    "  total += twice(row.n);",
    "}",
    "total",
  ].join("\n"),
  import: 'import { half } from "./lib";\nhalf(8)',
  half: "half(10)",
  failing: "const missing = { a: undefined as { b: number } | undefined };\n\nmissing.a!.b",
};

/** The twelve steps, in a new notebook, and what a restart and the end leave. */
export async function debugging({ page, notebook, suite, picture, lab }) {
  const sidebar = page.locator("#jp-debugger-sidebar");
  const bug = notebook.panel.locator(".jp-DebuggerBugButton").first();
  let steps = 0;

  /** Checks what a step leads to, and takes its picture. */
  async function step(name, read, holds) {
    await suite.eventually(`debugger, step ${++steps}: ${name}`, read, holds);
    await page.screenshot({ path: join(pictures, `debugger-${String(steps).padStart(2, "0")}.png`) });
  }

  /** Clicks a button of the call stack's toolbar. */
  const click = (command) => sidebar.locator(`[data-command="debugger:${command}"]`).click();
  const texts = (selector) => sidebar.locator(selector).allInnerTexts();
  const stack = async () => (await texts(".jp-DebuggerCallstackFrame-name")).join();
  const breakpoints = async () => (await texts(".jp-DebuggerBreakpoint-line")).join();
  const isOn = () => bug.locator("[aria-pressed]").getAttribute("aria-pressed");
  const variable = (name) => {
    const named = page.locator(".jp-DebuggerVariables-name", { hasText: new RegExp(`^${name}$`) });
    return sidebar.locator(".jp-DebuggerVariables .jp-TreeItem").filter({ has: named });
  };
  const detailOf = (name) => variable(name).first().locator(".jp-DebuggerVariables-detail").textContent();
  /** The marked lines of all editors. */
  const marked = async () => (await page.locator(".jp-DebuggerEditor-highlight").allInnerTexts()).join().trim();
  const outputOf = (cell) => cell.locator(".jp-OutputArea-output").first().textContent();
  const is = (wanted) => (found) => String(found).trim() === wanted;

  async function clickGutter(editor, line) {
    await editor.locator(".cm-breakpoint-gutter .cm-gutterElement").nth(line).click();
  }

  /** Continues until nothing is marked. */
  async function finish() {
    await click("continue");
    await page.locator(".jp-DebuggerEditor-highlight").first().waitFor({ state: "detached" });
  }

  /** Clicks the button until it has this state: JupyterLab misses clicks while it changes its state. */
  async function turn(wanted) {
    for (let tries = 0; tries < 5; tries++) {
      await bug.click();
      if ((await eventually(isOn, is(wanted), 5_000)).holds) return;
    }
    suite.check(`debugger: its button is ${wanted === "true" ? "pressed" : "released"}`, false);
  }

  writeFileSync(join(lab.work, "lib.ts"), LIBRARY);
  await notebook.run(CELLS.twice);
  await bug.click();
  const state = async () => `${await isOn()}, ${await sidebar.isVisible()}`;
  await step("the button turns it on, and its panel opens", state, is("true, true"));

  const loop = notebook.cells.nth(1);
  await notebook.type(CELLS.loop);
  await clickGutter(loop, 4);
  await step("a click beside a line sets a breakpoint", breakpoints, is("4"));

  await page.keyboard.press("Shift+Enter");
  await step("the cell stops there, and its line is marked", marked, is("total += twice(row.n);"));

  await variable("table").first().hover();
  await variable("table").first().locator(".jp-DebuggerVariables-renderVariable").click();
  const shown = page.locator(".jp-VariableRendererPanel table");
  await step(
    "a local frame is shown as a table",
    () => shown.textContent(),
    (text) => /Bern\s*1\.0\s*1\s*Rome\s*2\.0/.test(text),
  );
  await page.locator(".lm-TabBar-tab", { hasText: "table - " }).locator(".lm-TabBar-tabCloseIcon").click();
  await shown.waitFor({ state: "detached" });

  await click("stepIn");
  await step("a step into a function of another cell", marked, is("const result: number = n * 2;"));
  await step("the call stack", stack, is("twice,cell"));
  await click("next");
  await suite.eventually("debugger: a step over", marked, is("return result;"));
  await step("a step over, with the locals after it", () => detailOf("result"), is("2"));
  await picture("debugger");

  await click("evaluate");
  const prompt = page.locator(".jp-DebugConsole .jp-CodeConsole-promptCell .cm-content");
  await prompt.click();
  await page.keyboard.insertText("result + 40");
  await page.keyboard.press("Shift+Enter");
  const evaluated = page.locator(".jp-DebugConsole .jp-OutputArea-output");
  await step("an expression of the frame is evaluated", () => evaluated.last().textContent(), is("42"));
  await click("evaluate");

  await click("stepOut");
  await step("a step out", stack, is("cell"));

  await clickGutter(loop, 4);
  await suite.eventually("debugger: a second click removes a breakpoint", breakpoints, is(""));
  await finish();
  await notebook.done(loop);
  await step("the cell ends with its result", () => outputOf(loop), is("6"));

  await notebook.run(CELLS.import);
  // JupyterLab lists the files of the kernel when the debugger is turned on.
  await turn("false");
  await turn("true");
  await sidebar.locator(".jp-DebuggerKernelSource-source", { hasText: "lib.ts" }).click();
  const file = page.locator(".jp-MainAreaWidget .cm-editor", { hasText: "export function half" });
  await clickGutter(file, 3);
  await suite.eventually("debugger: a breakpoint in a local file", breakpoints, is("3"));
  const tab = page.locator(".lm-TabBar-tab", { hasText: ".ipynb" }).first();
  await tab.click();
  const half = await notebook.start(CELLS.half);
  await suite.eventually("debugger: the file is shown where it stops", () => file.isVisible(), is("true"));
  await sidebar.locator("select").first().selectOption("Locals");
  await suite.eventually("debugger: the locals of the file", () => detailOf("rest"), is("5"));
  await step("a local file stops at its line", marked, is("return rest;"));
  await finish();
  await tab.click();
  await notebook.done(half);

  await sidebar.locator(".jp-PauseOnExceptions").click();
  await page.locator(".jp-PauseOnExceptions-menu .lm-Menu-itemLabel", { hasText: "all" }).click();
  const failing = await notebook.start(CELLS.failing);
  await step("a cell stops where it throws", marked, is("missing.a!.b"));
  await finish();
  await notebook.done(failing);
  await suite.eventually(
    "debugger: the error after it",
    () => failing.locator(".jp-OutputArea").textContent(),
    (text) => text.includes("TypeError"),
  );

  const lines = await breakpoints();
  const restarted = page.waitForResponse((response) => response.url().includes("/restart"));
  await notebook.click("notebook:restart-kernel");
  await notebook.accept();
  await restarted;
  // Beside the panel the notebook's toolbar has no room for the kernel's name.
  const status = page.locator("#jp-main-statusbar", { hasText: "TypeScript (arrowbook) | Idle" });
  await status.waitFor();
  await suite.eventually("debugger: a restart keeps the breakpoints", breakpoints, is(lines));
  await notebook.start(CELLS.import);
  await suite.eventually("debugger: and the new kernel stops at them", marked, is("return rest;"));
  await finish();
  await tab.click();
  await turn("false");
  const free = await notebook.run(CELLS.half);
  await suite.eventually("debugger: turned off, cells run to their end", () => outputOf(free), is("5"));
}

// A notebook in JupyterLab, driven by mouse and keyboard as a person would; it waits for what becomes visible.

const DRAWN_MS = 120_000;

/** The open notebook of a page. */
export class NotebookDriver {
  constructor(page) {
    this.page = page;
    this.panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)");
    this.cells = this.panel.locator(".jp-CodeCell");
  }

  /** Waits until the kernel is ready for cells. */
  async ready() {
    await this.panel.locator(".jp-KernelName", { hasText: "TypeScript (arrowbook)" }).waitFor();
    await this.panel.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').waitFor();
  }

  /** Types into the last cell. */
  async type(code) {
    const cell = this.cells.last();
    await cell.locator(".cm-content").click();
    await this.page.keyboard.insertText(code);
    return cell;
  }

  /** Types a cell and runs it with Shift-Enter, without waiting for its end. */
  async start(code) {
    const at = (await this.cells.count()) - 1;
    await this.type(code);
    await this.page.keyboard.press("Shift+Enter");
    await this.cells.nth(at + 1).waitFor();
    return this.cells.nth(at);
  }

  /** Types a cell, runs it and waits for its number. */
  async run(code) {
    const cell = await this.start(code);
    await this.done(cell);
    return cell;
  }

  /** Waits until a cell has its number instead of a star. */
  async done(cell) {
    await cell.locator(".jp-InputPrompt", { hasText: /^\[\d+\]:$/ }).waitFor({ timeout: DRAWN_MS });
  }

  /** Presses a key until something appears: the first reply to a completion may come before the columns are known. */
  async pressUntil(key, wanted) {
    const found = typeof wanted === "string" ? this.page.locator(wanted).first() : wanted;
    const other = this.page.locator(".jp-Completer-item").first();
    for (let tries = 0; tries < 20; tries++) {
      await this.page.keyboard.press(key);
      if (await isShown(found)) return;
      if (await other.isVisible()) await this.page.keyboard.press("Escape");
    }
    throw new Error(`${key} shows no ${wanted}`);
  }

  /** Clicks a button of the notebook's toolbar. */
  async click(command) {
    await this.panel.locator(`.jp-Toolbar [data-command="${command}"]`).click();
  }

  /** Confirms the dialog that is open. */
  async accept() {
    await this.page.locator(".jp-Dialog .jp-mod-accept").click();
    await this.page.locator(".jp-Dialog").waitFor({ state: "detached" });
  }

  /** Executes a command of JupyterLab, for what has no button, without waiting for its end. */
  command(id, args = {}) {
    return this.page.evaluate(([name, given]) => void window.jupyterapp.commands.execute(name, given), [id, args]);
  }
}

function isShown(found) {
  return found.waitFor({ timeout: 5_000 }).then(
    () => true,
    () => false,
  );
}

import { escapeHtml } from "../base/escape.js";
import { notebookHost } from "../base/host.js";
import { type ProgressScreen, terminalScreen } from "./terminal-screen.js";

export const NO_SCREEN: ProgressScreen = { draw: () => {}, end: () => {} };

/** The notebook whose kernel this process is, else the terminal behind standard error, else undefined. */
export function screenHere(): ProgressScreen | undefined {
  if (notebookHost() !== undefined) return notebookScreen();
  return hasTerminal() ? terminalScreen() : undefined;
}

export function hasScreen(): boolean {
  return notebookHost() !== undefined || hasTerminal();
}

function hasTerminal(): boolean {
  return process.stderr.isTTY && process.env["TERM"] !== "dumb";
}

function notebookScreen(): ProgressScreen {
  const id = crypto.randomUUID();
  const cell = notebookHost()?.cell;
  let shown: string | undefined;
  const draw = (lines: readonly string[]): void => {
    const text = lines.join("\n");
    if (text === shown) return;
    const html = lines.map((line) => `<div><small>${escapeHtml(line)}</small></div>`).join("");
    const bundle = { "text/html": `<div>${html}</div>`, "text/plain": text };
    // Not awaited: no task may fail for its bar.
    Promise.resolve(notebookHost()?.send(bundle, id, shown !== undefined)).catch(() => {});
    shown = text;
  };
  return {
    draw,
    end: (lines) => (lines.length > 0 ? draw(lines) : undefined),
    cellRuns: () => cell !== undefined && notebookHost()?.cell === cell,
  };
}

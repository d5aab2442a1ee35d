import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readNotebook } from "../../src/kernel/notebook/notebook-file.js";
import { runNotebook } from "../../src/kernel/notebook/run-notebook.js";
import { type Shown, shown } from "./comparable-outputs.js";

const folder = fileURLToPath(new URL("../../notebooks", import.meta.url));

/** The names of the notebooks of the gallery. */
export const gallery: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith(".ipynb"))
  .sort();

/** What a notebook shows when it runs on `kernel`, and what is stored in it. */
export async function ranAndStored(
  name: string,
  kernel: string,
): Promise<Record<"ran" | "stored", Record<string, readonly Shown[]>>> {
  const path = join(folder, name);
  const { notebook } = await runNotebook(path, { kernel, output: false, timeout: 120_000 });
  return { ran: shown(notebook), stored: shown(await readNotebook(path)) };
}

import { fileURLToPath } from "node:url";
import { CellCompiler } from "../../src/kernel/compiler/cell-compiler.js";
import { findTypeScript, loadTypeScript } from "../../src/kernel/install/installed-typescript.js";
import { CellTasks } from "../../src/kernel/runtime/cell-tasks.js";
import { Executor } from "../../src/kernel/runtime/executor.js";
import { InterruptState, interruptMemory } from "../../src/kernel/runtime/interrupt-state.js";
import { local } from "../../src/kernel/runtime/remote.js";
import { packageRoot } from "../../src/package/package-root.js";

/** Runs cells in this process as the kernel does. */
export interface Cells {
  readonly executor: Executor;
  /** The values of the last expressions; the text of an error in its place. */
  run(...cells: readonly string[]): Promise<unknown[]>;
}

/** A folder of the package without its strict checks. */
const NOTEBOOKS = fileURLToPath(new URL("../../notebooks", import.meta.url));

/** Starts the compiler of the kernel in a folder. */
export function startCells(folder: string = NOTEBOOKS): Cells {
  const typescript = loadTypeScript(findTypeScript(folder).folder);
  const compiler = new CellCompiler(typescript, {
    folder,
    home: packageRoot(),
    seesHome: folder === NOTEBOOKS,
    strict: false,
  });
  const tasks = new CellTasks(new InterruptState(interruptMemory()));
  const executor = new Executor(local(compiler), folder, tasks, () => ({}));
  let count = 0;
  return {
    executor,
    async run(...cells) {
      const values: unknown[] = [];
      for (const cell of cells) {
        tasks.begin();
        const result = await executor.run(cell, ++count).finally(() => tasks.end());
        values.push(result.status === "ok" ? result.value : `${result.error.ename}: ${result.error.evalue}`);
      }
      return values;
    },
  };
}

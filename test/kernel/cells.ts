import { fileURLToPath } from "node:url";
import { prepareTypeScript } from "../../src/kernel/compiler/compiler.js";
import type { CompilerState } from "../../src/kernel/compiler/compiler-state.js";
import { loadTslab } from "../../src/kernel/compiler/tslab-parts.js";
import { CellTasks } from "../../src/kernel/runtime/cell-tasks.js";
import { Executor } from "../../src/kernel/runtime/executor.js";
import { InterruptState, interruptMemory } from "../../src/kernel/runtime/interrupt-state.js";

/** Runs cells in this process as the kernel does. */
export interface Cells {
  readonly executor: Executor;
  /** The values of the last expressions; the text of an error in its place. */
  run(...cells: readonly string[]): Promise<unknown[]>;
}

/** Starts the compiler of the kernel in the folder of the package. */
export function startCells(): Cells {
  const folder = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");
  const state: CompilerState = {};
  const tslab = loadTslab(folder, (typescript) => prepareTypeScript(typescript, {}, state, folder));
  const executor = new Executor(tslab, state, folder, new CellTasks(new InterruptState(interruptMemory())));
  let count = 0;
  return {
    executor,
    async run(...cells) {
      const values: unknown[] = [];
      for (const cell of cells) {
        const result = await executor.run(cell, ++count);
        values.push(result.status === "ok" ? result.value : `${result.error.ename}: ${result.error.evalue}`);
      }
      return values;
    },
  };
}

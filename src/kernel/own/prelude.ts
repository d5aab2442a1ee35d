import type { Executor } from "./executor.js";
import type { LazyNames } from "./lazy-names.js";

/** The names that every notebook has without importing them, and the package that gives each. */
const NAMES = ["connect", "Frame", "display", "progress", "bulkFile"] as const;

const SERVICE_NAMES = /\b(connect|Frame|display|progress|bulkFile|service)\b/;

const DECLARATIONS = [
  ...NAMES.map((name) => `import { ${name} } from "arrowbook";`),
  `declare const service: import("arrowbook").Service;`,
].join("\n");

type Package = Readonly<Record<string, unknown>>;

/**
 * Offers the prelude's names to cells. Their types are read when a cell or a completion first needs them, so that a
 * kernel starts as fast as without; `own` is the text of the user's prelude, run before the first cell.
 */
export function preludeLoader(
  executor: Executor,
  own: string | undefined,
): (code: string, purpose: "run" | "complete") => Promise<void> {
  let offered = false;
  let ownRun = own === undefined;
  return async (code, purpose) => {
    if (!offered && (purpose === "complete" || SERVICE_NAMES.test(code) || SERVICE_NAMES.test(own ?? ""))) {
      offered = true;
      executor.offer(preludeNames());
    }
    if (ownRun) return;
    ownRun = true;
    const result = await executor.run(own!, 0);
    if (result.status === "error") console.error(["The prelude failed:", ...result.error.traceback].join("\n"));
  };
}

function preludeNames(): LazyNames {
  const values: Record<string, (load: (id: string) => unknown) => unknown> = {};
  for (const name of NAMES) values[name] = (load) => (load("arrowbook") as Package)[name];
  let service: unknown;
  values["service"] = (load) => {
    service ??= ((load("arrowbook") as Package)["connect"] as () => unknown)();
    return service;
  };
  return { declarations: DECLARATIONS, values };
}

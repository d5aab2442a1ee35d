import { readFileSync } from "node:fs";
import { fileError } from "../../errors/file-error.js";
import type { Executor } from "./executor.js";

/** The names that every notebook has without importing them. */
const NAMES = ["connect", "Frame", "display", "progress", "bulkFile"] as const;

const MENTIONED = new RegExp(`\\b(?:${NAMES.join("|")}|service)\\b`);
const SERVICE = /\bservice\b/;
const OWN_SERVICE = /\b(?:const|let|var|function|class|import\s*\{[^}]*)\s*service\b/;

type Package = Readonly<Record<(typeof NAMES)[number], unknown>> & {
  readonly connect: (() => unknown) & { readonly sample: () => Promise<unknown> };
};

/** The prelude of one kernel. */
export interface Prelude {
  /** Called before a cell runs or is completed, with its code. */
  before(code: string, purpose: "run" | "complete"): Promise<void>;
  /** Called when nothing has been asked for a while: loads the types, so that the first completion is fast. */
  whenIdle(): void;
}

function readPrelude(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw fileError(file, "read", cause, { what: "prelude" });
  }
}

/**
 * Offers the prelude's names to cells: those above, and `service`, made from the environment (`ARROWBOOK_URL`), else
 * the sample. Types and values are loaded when a cell or a completion first needs them, so that a kernel starts as fast
 * as without. `file` is the user's prelude, run before the first cell.
 */
export function preludeLoader(executor: Executor, file: string | undefined): Prelude {
  const own = file === undefined ? undefined : readPrelude(file);
  const service = serviceMaker(executor);
  let offered = false;
  let ownRun = own === undefined;

  const offer = (): void => {
    if (offered) return;
    offered = true;
    executor.offer({ declarations: declarations(), values: values(executor, service.value) });
  };

  const prepare = async (code: string, purpose: "run" | "complete"): Promise<void> => {
    if (purpose === "complete" || MENTIONED.test(code)) offer();
    if (purpose === "run") await service.before(code);
  };

  return {
    async before(code, purpose) {
      if (!ownRun) {
        ownRun = true;
        await prepare(own!, "run");
        const result = await executor.run(own!, 0);
        if (result.status === "error") console.error(["The prelude failed:", ...result.error.traceback].join("\n"));
      }
      await prepare(code, purpose);
    },
    whenIdle() {
      if (offered) return;
      offer();
      executor.complete("service.", "service.".length);
    },
  };
}

function declarations(): string {
  const type = process.env["ARROWBOOK_URL"]
    ? `import("arrowbook").Service`
    : `Awaited<ReturnType<(typeof import("arrowbook"))["connect"]["sample"]>>`;
  return [...NAMES.map((name) => `import { ${name} } from "arrowbook";`), `declare const service: ${type};`].join("\n");
}

function values(executor: Executor, service: () => unknown): Record<string, () => unknown> {
  const own = NAMES.map((name) => [name, () => (executor.load("arrowbook") as Package)[name]]);
  return { ...Object.fromEntries(own), service };
}

/** The service of the prelude, made before the first cell that names it and does not declare its own. */
function serviceMaker(executor: Executor): { before(code: string): Promise<void>; value(): unknown } {
  let made: unknown;
  let failure: unknown;
  let settled = false;
  return {
    async before(code) {
      if (OWN_SERVICE.test(code)) settled = true;
      if (settled || !SERVICE.test(code)) return;
      try {
        const { connect } = executor.load("arrowbook") as Package;
        made = process.env["ARROWBOOK_URL"] ? connect() : await connect.sample();
        settled = true;
        failure = undefined;
      } catch (error) {
        failure = error;
      }
    },
    value() {
      if (failure !== undefined) throw failure;
      return made;
    },
  };
}

import { readFileSync } from "node:fs";
import { fileError } from "../../errors/file-error.js";
import { NOTEBOOK_NAMES, PACKAGE_NAMES } from "../install/editor-types.js";
import type { Executor } from "./executor.js";

const MENTIONED = new RegExp(`\\b(?:${[...PACKAGE_NAMES, ...NOTEBOOK_NAMES].join("|")}|service)\\b`);
const SERVICE = /\bservice\b/;
/** Its completion needs the types of most of the package. */
const WARM_UP = 'service.table("A/B").select("';
const OWN_SERVICE = /\b(?:const|let|var|function|class|import\s*\{[^}]*)\s*service\b/;

type Package = Readonly<Record<(typeof PACKAGE_NAMES)[number], unknown>> & {
  readonly connect: (() => unknown) & { readonly sample: () => Promise<unknown> };
};

/** The prelude of a kernel. */
export interface Prelude {
  /** Called with the code of a cell before it runs or is completed. */
  before(code: string, purpose: "run" | "complete"): Promise<void>;
  /** Creates the service of the prelude if the code, which is completed, uses it. */
  serviceFor(code: string): Promise<void>;
  /** The service of the prelude if it exists already. */
  service(): unknown;
  /**
   * Called when the kernel is idle, until it returns false: each call does one step of what makes the first completion
   * fast. Loads the types, then the package, then creates the service.
   */
  whenIdle(): boolean;
}

function readPrelude(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw fileError(file, "read", cause, { what: "prelude" });
  }
}

/**
 * Provides the prelude's names to cells: those above, and `service`, created from the environment (`ARROWBOOK_URL`) or
 * else from the sample. Types and values are loaded when first used, so that the kernel starts as fast as without them.
 * `file` is the user's prelude, run before the first cell.
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

  const steps = [
    () => {
      offer();
      executor.complete(WARM_UP, WARM_UP.length);
    },
    () => void attempt(() => executor.load("arrowbook")),
    () => void service.make("service"),
  ];

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
    serviceFor: (code) => service.make(code),
    service: () => service.made(),
    whenIdle() {
      steps.shift()?.();
      return steps.length > 0;
    },
  };
}

/** What fails in advance fails again where it is used, and says so there. */
function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    return;
  }
}

function declarations(): string {
  const type = process.env["ARROWBOOK_URL"]
    ? `import("arrowbook").Service`
    : `Awaited<ReturnType<(typeof import("arrowbook"))["connect"]["sample"]>>`;
  const imports = [
    ...PACKAGE_NAMES.map((name) => `import { ${name} } from "arrowbook";`),
    ...NOTEBOOK_NAMES.map((name) => `import { ${name} } from "arrowbook/notebook";`),
  ];
  return [...imports, `declare const service: ${type};`].join("\n");
}

function values(executor: Executor, service: () => unknown): Record<string, () => unknown> {
  const own = PACKAGE_NAMES.map((name) => [name, () => (executor.load("arrowbook") as Package)[name]]);
  const helpers = NOTEBOOK_NAMES.map((name) => [
    name,
    () => (executor.load("arrowbook/notebook") as Readonly<Record<string, unknown>>)[name],
  ]);
  return { ...Object.fromEntries([...own, ...helpers]), service };
}

/** The service of the prelude, created before the first cell that uses it without declaring its own. */
function serviceMaker(executor: Executor): {
  before(code: string): Promise<void>;
  make(code: string): Promise<void>;
  made(): unknown;
  value(): unknown;
} {
  let made: unknown;
  let failure: unknown;
  let settled = false;
  let making: Promise<void> | undefined;
  const create = async (): Promise<void> => {
    try {
      const { connect } = executor.load("arrowbook") as Package;
      made = process.env["ARROWBOOK_URL"] ? connect() : await connect.sample();
      settled = true;
      failure = undefined;
    } catch (error) {
      failure = error;
    } finally {
      making = undefined;
    }
  };
  const make = async (code: string): Promise<void> => {
    if (settled || OWN_SERVICE.test(code) || !SERVICE.test(code)) return;
    making ??= create();
    await making;
  };
  return {
    async before(code) {
      if (OWN_SERVICE.test(code)) settled = true;
      await make(code);
    },
    make,
    made: () => made,
    value() {
      if (failure !== undefined) throw failure;
      return made;
    },
  };
}

import { readFileSync } from "node:fs";
import { fileError } from "../../errors/file-error.js";
import { NOTEBOOK_NAMES, PACKAGE_NAMES } from "../install/editor-types.js";
import type { Executor } from "./executor.js";

const MENTIONED = new RegExp(`\\b(?:${[...PACKAGE_NAMES, ...NOTEBOOK_NAMES].join("|")}|service)\\b`);
/** The names by the modules that have them. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  arrowbook: PACKAGE_NAMES,
  "arrowbook/notebook": NOTEBOOK_NAMES,
};
const SERVICE = /\bservice\b/;
/** Its completion needs the types of most of the package. */
const WARM_UP = 'service.table("A/B").select("';
const OWN_SERVICE = /\b(?:const|let|var|function|class|import\s*\{[^}]*)\s*service\b/;

type Package = Readonly<Record<(typeof PACKAGE_NAMES)[number], unknown>> & {
  readonly connect: (() => unknown) & { readonly sample: () => Promise<unknown> };
};

function readPrelude(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw fileError(file, "read", cause, { what: "prelude" });
  }
}

/**
 * Provides names to cells: those above, and `service`, created from the environment (`ARROWBOOK_URL`) or else from the
 * sample. Types and values are loaded when first used: until then the kernel is as fast and as small as without them.
 */
export class Prelude {
  /** The source of the user's prelude, until it has run. */
  #own: string | undefined;
  #isOffered = false;
  #isWarm = false;
  readonly #loaded = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #service: PreludeService;

  /** @param file the user's prelude, run before the first cell */
  constructor(
    private readonly executor: Executor,
    file: string | undefined,
  ) {
    this.#own = file === undefined ? undefined : readPrelude(file);
    this.#service = new PreludeService(executor);
  }

  /** Called with the code of a cell before it runs or is completed. */
  async before(code: string, purpose: "run" | "complete"): Promise<void> {
    const own = this.#own;
    this.#own = undefined;
    if (own !== undefined) {
      await this.#prepare(own, "run");
      const result = await this.executor.run(own, 0);
      if (result.status === "error") console.error(["The prelude failed:", ...result.error.traceback].join("\n"));
    }
    await this.#prepare(code, purpose);
  }

  /** Creates the service of the prelude if the code, which is completed, uses it. */
  serviceFor(code: string): Promise<void> {
    return this.#service.make(code);
  }

  /** The service of the prelude if it exists already. */
  service(): unknown {
    return this.#service.made;
  }

  /** Called when the kernel is idle: loads the types that completions need, once a cell has used the names. */
  whenIdle(): void {
    if (!this.#isOffered || this.#isWarm) return;
    this.#isWarm = true;
    this.executor.warmUp(WARM_UP);
  }

  async #prepare(code: string, purpose: "run" | "complete"): Promise<void> {
    if (purpose === "complete" || MENTIONED.test(code)) this.#offer();
    if (purpose !== "run") return;
    for (const [name, names] of Object.entries(NAMES)) {
      if (names.some((each) => new RegExp(`\\b${each}\\b`).test(code))) await this.#load(name);
    }
    await this.#service.before(code);
  }

  /** Loads what cells use without importing it; what fails is reported where it is used. */
  async #load(name: string): Promise<void> {
    const found = await Promise.resolve(this.executor.load(name)).catch(() => undefined);
    if (found !== undefined) this.#loaded.set(name, found as Package);
  }

  #offer(): void {
    if (this.#isOffered) return;
    this.#isOffered = true;
    const values = Object.entries(NAMES).flatMap(([from, names]) =>
      names.map((name) => [name, (): unknown => this.#loaded.get(from)?.[name]] as const),
    );
    values.push(["service", () => this.#service.value()]);
    this.executor.offer({ declarations: declarations(), values: Object.fromEntries(values) });
  }
}

function declarations(): string {
  const type = process.env["ARROWBOOK_URL"] ? "Service" : "SampleService";
  const imports = [
    ...PACKAGE_NAMES.map((name) => `import { ${name} } from "arrowbook";`),
    ...NOTEBOOK_NAMES.map((name) => `import { ${name} } from "arrowbook/notebook";`),
  ];
  return [...imports, `declare const service: import("arrowbook").${type};`].join("\n");
}

/** The service of the prelude, created before the first cell that uses it without declaring its own. */
class PreludeService {
  made: unknown;
  #failure: unknown;
  #isSettled = false;
  #making: Promise<void> | undefined;

  constructor(private readonly executor: Executor) {}

  async before(code: string): Promise<void> {
    if (OWN_SERVICE.test(code)) this.#isSettled = true;
    await this.make(code);
  }

  async make(code: string): Promise<void> {
    if (this.#isSettled || OWN_SERVICE.test(code) || !SERVICE.test(code)) return;
    this.#making ??= this.#create();
    await this.#making;
  }

  value(): unknown {
    if (this.#failure !== undefined) throw this.#failure;
    return this.made;
  }

  async #create(): Promise<void> {
    try {
      const { connect } = (await this.executor.load("arrowbook")) as Package;
      this.made = process.env["ARROWBOOK_URL"] ? connect() : await connect.sample();
      this.#isSettled = true;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#making = undefined;
    }
  }
}

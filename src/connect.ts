import { connect as connectTo, Service } from "./client/service.js";
import type { ConnectOptions } from "./client/transport/settings.js";
import { InputError } from "./errors/errors.js";
import type { RunningService } from "./server/http/options.js";
import type { CatalogItem } from "./spec/endpoints.js";
import { SAMPLE_KEY } from "./spec/endpoints.js";

/** Options of `connect.sample`: those of `connect` that apply to the embedded service. */
export type SampleOptions = Omit<ConnectOptions, "url" | "apiKey" | "profile" | "keyHeader" | "proxy" | "ca">;

/** A connection to the embedded service on the sample data; `close()` stops it. */
export class SampleService extends Service {
  readonly #running: RunningService;

  constructor(running: RunningService, options: SampleOptions) {
    super({ ...options, url: running.url, apiKey: SAMPLE_KEY, proxy: false });
    this.#running = running;
  }

  /** All codes of the sample: databases, their series, and tables. */
  override catalog(): CatalogItem[] {
    return this.#running.catalog();
  }

  /** Stops the embedded service. */
  close(): Promise<void> {
    return this.#running.close();
  }
}

/**
 * Starts the embedded service on the sample data and connects to it: no key, no network. It does not keep the process
 * alive.
 *
 * @throws {InputError} UnknownOption for `url`, `apiKey` and `profile`, which belong to `connect()`
 * @example
 * ```ts
 * import { connect } from "arrowbook";
 * const service = await connect.sample();
 * console.log(service.url, service.catalog().length);
 * await service.close();
 * ```
 */
async function sample(options: SampleOptions = {}): Promise<SampleService> {
  if (options !== null && typeof options === "object") {
    for (const name of ["url", "apiKey", "profile"] as const) {
      if (!Object.hasOwn(options, name)) continue;
      throw new InputError(`connect.sample() has no option "${name}": it starts a service of its own.`, {
        code: "UnknownOption",
        hint: `Pass it to connect({ ${name}: … }) for another service.`,
      });
    }
  }
  const { serve } = await import("./server/serve.js");
  const { sampleData } = await import("./server/data/sample.js");
  const running = await serve({ data: sampleData() });
  running.unref();
  return new SampleService(running, options);
}

/**
 * Connects to a service without sending a request. `connect.sample()` starts the embedded service on the sample data
 * instead.
 *
 * @throws {InputError} UnknownOption for an unknown option, NoAddress if neither `url` nor ARROWBOOK_URL is set
 *
 * @example
 * ```ts no-run
 * import { connect } from "arrowbook";
 * const service = connect({ url: "https://data.example", apiKey: process.env.MY_KEY });
 * const frame = await service.dataset("EOD/AAPL").from("2020-01-01").frame();
 * ```
 */
export const connect: typeof connectTo & { sample: typeof sample } = Object.assign(
  (options?: ConnectOptions): Service => connectTo(options),
  { sample },
);

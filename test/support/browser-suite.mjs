import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "./eventually.mjs";

const PART_MS = 240_000;
const END_MS = 30_000;
const SHOWN_CHARACTERS = 3_000;

/**
 * The checks of a suite in a browser, in parts. A part that fails is run once more from a clean state; its first
 * failure is printed, its second counts.
 */
export class BrowserSuite {
  passed = 0;
  failures = [];
  #name;
  #context;
  #places;
  #attempt = { passed: 0, failures: [] };

  /** @param options `name` of the suite, and the selectors of `places` whose text is printed when a part fails */
  constructor(context, { name, places }) {
    this.#context = context;
    this.#name = name;
    this.#places = places;
  }

  /** Counts what is known already, or what has to be absent after all that could bring it. */
  check(what, holds, detail = "") {
    if (holds) this.#attempt.passed++;
    else this.#attempt.failures.push(`${what} ${detail}`.trim());
  }

  /** Reads until it holds, and counts that. Returns what was read last. */
  async eventually(what, read, holds, ms) {
    const found = await eventually(read, holds, ms);
    this.check(what, found.holds, JSON.stringify(found.value)?.slice(0, 300));
    return found.value;
  }

  /** Runs a part, and when it fails `again`, which begins from a clean state. Returns whether one of them passed. */
  async part(name, run, again = run) {
    const start = Date.now();
    let result = await this.#run(name, run);
    if (result.failures.length > 0) {
      const first = result.failures;
      await this.closePages();
      result = await this.#run(`${name}-again`, again);
      const how = result.failures.length === 0 ? "passed when run again" : "failed when run again";
      for (const failure of first) console.log(`${name} failed at first: ${failure}; ${how}`);
    }
    this.passed += result.passed;
    this.failures.push(...result.failures);
    console.log(`${name}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
    return result.failures.length === 0;
  }

  async #run(name, run) {
    const attempt = { passed: 0, failures: [] };
    this.#attempt = attempt;
    const ended = new AbortController();
    const late = sleep(PART_MS, "late", { signal: ended.signal }).catch(() => undefined);
    const running = run().catch((error) => void attempt.failures.push(String(error)));
    const isLate = (await Promise.race([running, late])) === "late";
    ended.abort();
    if (isLate) attempt.failures.push(`${name} did not end within ${PART_MS / 1000} s`);
    if (attempt.failures.length > 0) await this.#show(name);
    if (isLate) {
      await this.closePages();
      await Promise.race([running, sleep(END_MS)]);
    }
    return attempt;
  }

  /** Closes all pages but the browser's first, empty one: without a page it would end. */
  async closePages() {
    for (const page of this.#context.pages().slice(1)) await page.close().catch(() => undefined);
  }

  /** Saves a picture of the pages and prints the text of the places. */
  async #show(name) {
    const folder = join(process.env.ARROWBOOK_RESULTS ?? tmpdir(), `arrowbook-${this.#name}`);
    mkdirSync(folder, { recursive: true });
    for (const [i, page] of this.#context.pages().slice(1).entries()) {
      const path = join(folder, `${name}-${i}.png`);
      const saved = await page.screenshot({ path, timeout: END_MS }).then(
        () => path,
        (error) => String(error).split("\n")[0],
      );
      console.log(`== ${name}, page ${page.url()}, picture ${saved}`);
      for (const place of this.#places) {
        const texts = page.locator(place).filter({ visible: true }).allInnerTexts();
        for (const text of await Promise.race([texts.catch(() => []), sleep(END_MS, [])])) {
          if (text.trim() !== "") console.log(`-- ${place}\n${text.slice(-SHOWN_CHARACTERS)}`);
        }
      }
    }
  }

  /** Prints the failures and the count, writes them for `.ci/run`, and ends the process. */
  end() {
    for (const failure of this.failures) console.error(`failed: ${failure}`);
    console.log(`${this.passed} passed, ${this.failures.length} failed`);
    if (process.env.ARROWBOOK_RESULTS !== undefined) {
      const { passed: numPassedTests, failures } = this;
      const report = { numPassedTests, numFailedTests: failures.length, failures };
      writeFileSync(join(process.env.ARROWBOOK_RESULTS, `${this.#name}.json`), JSON.stringify(report));
    }
    process.exit(this.failures.length > 0 ? 1 : 0);
  }
}

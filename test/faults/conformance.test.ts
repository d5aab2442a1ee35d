import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { cases, casesFolder } from "../cases.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { zipBytes } from "../zip/archive.js";
import { EXPORT, exportAnswer, FILE, json, METADATA, metadata, serviceOf } from "./bulk-fixtures.js";
import { cutWhenWritten } from "./cut-when-written.js";
import { type Answer, faultServer, ranged } from "./fault-server.js";

/*
 * The retry rules that the client libraries of a large storage service hold each other to: the faults come one per
 * request, then ordinary answers; the call succeeds or fails as the scenario says, with exactly as many requests as
 * that takes. Our calls only read, so that they stand for the idempotent ones; the scenarios about writes do not
 * concern us.
 */
const file = cases("retry-conformance-gcs/retryStrategyTestData.json");

interface Scenario {
  readonly id: number;
  readonly description: string;
  readonly cases: readonly { readonly instructions: readonly string[] }[];
  readonly expectSuccess: boolean;
}

if (!existsSync(file)) console.info(`no retry scenarios under ${casesFolder}: those tests did not run`);

const server = await faultServer();
const folder = temporaryFolder("conformance");
afterAll(async () => {
  await server.close();
});
beforeEach(() => server.reset());

const T = "/api/v3/datatables/V/T.json";
const page: Answer = {
  headers: json,
  body: JSON.stringify({
    datatable: { data: [[1]], columns: [{ name: "a", type: "Integer" }] },
    meta: { next_cursor_id: null },
  }),
};

/** How an instruction changes the usual reply. */
const fault = (instruction: string): Answer => {
  const status = /^return-(\d{3})$/.exec(instruction);
  if (status) return { status: Number(status[1]), headers: json, body: "{}" };
  if (instruction === "return-reset-connection") return { cutAt: -1 };
  throw new Error(`unknown instruction ${instruction}`);
};

describe.runIf(existsSync(file))("retry-conformance-gcs", () => {
  const { retryTests } = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as { retryTests: Scenario[] })
    : { retryTests: [] };
  const rows = (ids: readonly number[]) =>
    retryTests
      .filter(({ id }) => ids.includes(id))
      .flatMap(({ id, description, cases: each, expectSuccess }) =>
        each.map(({ instructions }) => ({
          name: `${id} ${description}: ${instructions.join(", ")}`,
          instructions,
          expectSuccess,
        })),
      );

  it.each(rows([1, 5, 6]))("$name", async ({ instructions, expectSuccess }) => {
    server.on(T, ...instructions.map(fault), page);
    const run = serviceOf(server).table("V/T").frame();
    if (expectSuccess) expect((await run).numRows).toBe(1);
    else await expect(run).rejects.toMatchObject({ name: "ServiceError" });
    expect(server.count(T)).toBe(expectSuccess ? instructions.length + 1 : instructions.length);
  });

  it.each(rows([7]))("$name (an interrupted download)", async ({ instructions }) => {
    const text = `a\n${Array.from({ length: 200_000 }, (_, i) => Math.imul(i, 2654435761) >>> 0).join("\n")}\n`;
    const zip = zipBytes([{ name: "T.csv", data: text, method: 0 }]);
    const strong = { etag: '"one"' };
    const answers = instructions.map((instruction): Answer => {
      const after = /^return-503-after-(\d+)K$/.exec(instruction);
      return after
        ? ranged(zip, strong, cutWhenWritten(folder, Math.min(Number(after[1]) * 1024, zip.length - 1)))
        : fault(instruction);
    });
    server.on(METADATA, metadata);
    server.on(EXPORT, exportAnswer(server));
    server.on(FILE, ...answers, ranged(zip, strong));
    const path = join(folder, "T.zip");
    await serviceOf(server).table("V/T").export().saveZip(path);
    expect(readFileSync(path).equals(zip)).toBe(true);
    expect(server.count(FILE)).toBe(instructions.length + 1);
    const resumed = instructions.some((instruction) => instruction.includes("-after-"));
    expect(server.seen.at(-1)?.headers.range !== undefined).toBe(resumed);
  });
});

import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";
import { lookThrough } from "../../src/disk/record-file.js";
import type { Frame } from "../../src/frame/frame.js";
import { builtLibrary } from "../faults/built-library.js";
import { folderOf, started } from "../server/support.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const ROWS = 100_000;
const TICKERS = Array.from({ length: 1_500 }, (_, i) => `TICKER-${i}`);
const lines = Array.from({ length: ROWS }, (_, i) => {
  const price = i % 13 === 0 ? "" : `${(i * 7919) % 100_000}.${String(i % 10_000).padStart(4, "0")}`;
  return `${TICKERS[i % TICKERS.length]},${i},2024-${String((i % 12) + 1).padStart(2, "0")}-11,${price},"note, ${i % 97}"`;
});
const running = await started({
  data: folderOf({
    "catalog.json": {
      databases: [],
      tables: [
        {
          vendor_code: "V",
          datatable_code: "T",
          name: "Rows",
          columns: [
            { name: "ticker", type: "String" },
            { name: "id", type: "Integer" },
            { name: "day", type: "Date" },
            { name: "price", type: "BigDecimal(15,4)" },
            { name: "note", type: "String" },
          ],
          filters: ["ticker", "id"],
          primary_key: ["id"],
          premium: true,
          file: "t.csv",
        },
      ],
    },
    "t.csv": `ticker,id,day,price,note\n${lines.join("\n")}\n`,
  }),
});
const root = temporaryFolder("five");
let library = "";
beforeAll(async () => {
  library = await builtLibrary();
});
afterAll(() => {
  rmSync(library, { recursive: true, force: true });
});

let requests = 0;
/** Counts the requests for rows; with `refuse`, the service says that there are too many of them. */
const service = (refuse = false) =>
  connect({
    url: running.url,
    apiKey: "sample",
    onProgress: false,
    fetch: async (input, init) => {
      const url = String(input);
      if (!url.includes("/V/T.json") || url.includes("export")) return fetch(input, init);
      requests++;
      if (!refuse) return fetch(input, init);
      const body = JSON.stringify({ quandl_error: { code: "QELx06", message: "too many results" } });
      return new Response(body, { status: 400, headers: { "content-type": "application/json" } });
    },
  });

/** Pages kept by a process that is killed with SIGKILL once it has read some of them. */
async function killedAfter(pages: number, checkpoint: string): Promise<number> {
  const script = join(library, "five-frames.mjs");
  writeFileSync(
    script,
    `import { connect } from "./index.mjs";
const service = connect({ url: ${JSON.stringify(running.url)}, apiKey: "sample", onProgress: false });
let pages = 0;
for await (const _ of service.table("V/T").batches({ checkpoint: process.argv[2] })) {
  if (++pages === ${pages}) process.kill(process.pid, "SIGKILL");
}
`,
  );
  const child = spawn(process.execPath, [script, checkpoint], { stdio: "inherit" });
  expect(await new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)))).toBe("SIGKILL");
  const found = await lookThrough(checkpoint);
  return typeof found === "object" ? found.records.length : 0;
}

it("pages, split lists, an export, the fallback and a run resumed after kill -9 give five equal frames", async () => {
  const table = service().table("V/T");
  const split = table.where({ ticker: TICKERS });
  expect((await split.explain()).requests.least).toBeGreaterThan(1);

  const checkpoint = join(root, "rows.checkpoint");
  const kept = await killedAfter(4, checkpoint);
  expect(kept).toBeGreaterThanOrEqual(4);
  expect(kept).toBeLessThan(10);
  requests = 0;
  const resumed = await table.frame({ checkpoint });
  expect(requests).toBe(10 - kept);

  const frames: Readonly<Record<string, Frame>> = {
    pages: await table.frame(),
    split: await split.frame(),
    export: await table.export().frame(),
    fallback: await service(true).table("V/T").frame({ fallback: "export" }),
    resumed,
  };
  const shown = (frame: Frame): string => frame.sort("id").toCSV();
  const expected = shown(frames["pages"]);
  expect(frames["pages"].numRows).toBe(ROWS);
  for (const [name, frame] of Object.entries(frames)) {
    expect({ name, columns: frame.columns, key: frame.key }).toEqual({
      name,
      columns: frames["pages"].columns,
      key: ["id"],
    });
    expect(shown(frame) === expected, name).toBe(true);
    expect(frame.source?.complete, name).toBe(true);
  }
});

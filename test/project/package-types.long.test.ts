import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PackedProject, packedProject, root } from "./packed.js";

/* The declarations as a user's compiler reads them: the packed files in an empty project. */
const compiler = (place: string): string => join(root, "node_modules", place, "lib/tsc.js");
let installed: PackedProject;
let project = "";
let tarball = "";

const USE = `
import { bulkFile, connect, display, Frame } from "arrowbook";
import { clickhouse } from "arrowbook/clickhouse";
import { duckdb } from "arrowbook/duckdb";
import { serve } from "arrowbook/server";
import { record, replay } from "arrowbook/testing";
import { trino } from "arrowbook/trino";
import "arrowbook/notebook";

export async function use(): Promise<number> {
  const service = await connect.sample();
  const prices = await service.table("MARKET/PRICES").select("ticker", "date", "close").frame();
  const recorded = connect({ url: "https://host", fetch: record("a.jsonl", { fetch: replay("b.jsonl") }) });
  console.log(recorded.url);
  const engine = await duckdb();
  const shared = await clickhouse("clickhouse://localhost", { cluster: "all" });
  console.log(await shared.explainLoad("prices", prices, { key: ["ticker", "date"], shardBy: "ticker" }));
  const remote = await trino({ url: "https://host", user: "key" }).query("SELECT 1");
  console.log(remote.numRows);
  const running = await serve({ data: "data" });
  display(prices.plot({ y: "close" }));
  const rows = await bulkFile("prices.zip", { columns: [{ name: "a", type: "String" }] }).frame();
  console.log(running.url, engine);
  return Frame.concat([prices, prices]).numRows + rows.numRows;
}
`;

/** Misspelt names, one on each line of the function. */
const MISSPELT = `
import type { Frame } from "arrowbook";

interface Price {
  ticker: string;
  date: string;
  close: number | null;
  volume: number | bigint;
}

export function misspelt(prices: Frame<Price>) {
  prices.select("clsoe");
  prices.select("date", "clsoe");
  prices.drop("clsoe");
  prices.sort("clsoe");
  prices.column("clsoe");
  prices.rename({ clsoe: "last" });
  prices.rename({ ticker: "name", clsoe: "last" });
  prices.cast({ clsoe: "double" });
  prices.groupBy("clsoe");
  prices.groupBy("ticker").agg({ clsoe: "mean" });
  prices.groupBy("ticker").agg({ volume: "sum", clsoe: ["mean", "max"] });
  prices.valueCounts("clsoe");
  prices.describe("clsoe");
  prices.corr(["clsoe", "volume"]);
  prices.pivot({ index: "clsoe", columns: "ticker", values: "volume" });
  prices.pivot({ index: "date", columns: "clsoe", values: "volume" });
  prices.unpivot({ index: "clsoe" });
  prices.diff(1, { columns: "clsoe" });
  prices.diff(1, { by: ["clsoe"] });
  prices.fill("forward", { columns: ["clsoe"] });
  prices.unique("clsoe");
  prices.dropNulls("clsoe");
  prices.quantile("clsoe", 0.5);
  prices.plot({ y: "clsoe" });
  prices.query({ column: "clsoe" });
  prices.filter((row) => row.clsoe > 1);
}
`;

beforeAll(() => {
  installed = packedProject();
  ({ folder: project, tarball } = installed);
  installed.link("@types/node");
  writeFileSync(join(project, "use.ts"), USE);
  const verbs = readFileSync(join(root, "test/types/verbs.ts"), "utf8");
  writeFileSync(join(project, "verbs.ts"), verbs.replace("../../src/index.js", "arrowbook"));
  writeFileSync(join(project, "misspelt.ts"), MISSPELT);
});
afterAll(() => installed.remove());

const RESOLUTIONS = [
  ["nodenext", "nodenext", "module"],
  ["esnext", "bundler", "module"],
  ["commonjs", "node10", "commonjs"],
] as const;
const COMPILERS = [
  ["typescript", "6"],
  ["@arethetypeswrong/core/node_modules/typescript", "5.6"],
  ["@tslab/typescript-for-tslab", "5.0"],
  ["typescript7", "7"],
] as const;

describe.each(COMPILERS)("TypeScript of %s (%s)", (place, version) => {
  const resolutions = RESOLUTIONS.filter(([, resolution]) => version !== "7" || resolution !== "node10");
  it.each(resolutions)("reads every declaration with module %s and resolution %s", (module, resolution, type) => {
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type }));
    const flags = ["--noEmit", "--strict", "--target", "es2022", "--module", module, "--types", "node"];
    if (version === "6" && resolution === "node10") flags.push("--ignoreDeprecations", "6.0");
    const words = [
      compiler(place),
      ...flags,
      "--moduleResolution",
      resolution,
      "--skipLibCheck",
      "false",
      "use.ts",
      "verbs.ts",
    ];
    const { stdout, status } = spawnSync(process.execPath, words, { cwd: project, encoding: "utf8" });
    // Before 5.7 TypeScript refuses declarations of flatbuffers, on which Arrow depends; ours it must read.
    const ours = stdout.split("\n").filter((line) => /^((use|verbs)\.ts|.*node_modules\/arrowbook\/)/.test(line));
    expect(ours).toEqual([]);
    if (Number(version) >= 6) expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  });
});

it.each(COMPILERS)("%s (%s): a misspelt column is one error that names the columns or the nearest", (place) => {
  writeFileSync(join(project, "package.json"), '{ "name": "empty", "private": true, "type": "module" }');
  const flags = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--types", "node"];
  const resolution = ["--module", "nodenext", "--moduleResolution", "nodenext"];
  const words = [compiler(place), ...flags, ...resolution, "misspelt.ts"];
  const { stdout } = spawnSync(process.execPath, words, { cwd: project, encoding: "utf8" });
  const lines = MISSPELT.split("\n");
  const wrong = lines.flatMap((line, i) => (line.startsWith("  prices.") ? [i + 1] : []));
  expect(wrong.length).toBeGreaterThan(20);
  for (const at of wrong) {
    const [message, ...others] = stdout.split("\n").filter((line) => line.startsWith(`misspelt.ts(${at},`));
    expect.soft(message, lines[at - 1]).toMatch(/"date" \| |"ticker" \| |Did you mean '"?close"?'/);
    expect.soft(message.length, message).toBeLessThan(200);
    expect.soft(others, lines[at - 1]).toEqual([]);
  }
  // Elements of arrays have lines of explanation below their message before TypeScript 6; nothing else has.
  const below = stdout.split("\n").filter((line) => line.startsWith(" "));
  expect(below.length, below.join("\n")).toBeLessThanOrEqual(4);
});

it("the tools for packages find nothing wrong", async () => {
  const { publint } = await import("publint");
  const { messages } = await publint({ pkgDir: join(project, "node_modules", "arrowbook"), strict: true });
  expect(messages).toEqual([]);
  const cli = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
  // The program of Web Workers has no declarations: bundlers alone load it.
  const words = [cli, tarball, "--exclude-entrypoints", "worker"];
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: project, encoding: "utf8" });
  expect({ status, stdout: status === 0 ? "" : stdout }).toEqual({ status: 0, stdout: "" });
});

it("public declarations reach no file inside another package", () => {
  const folder = join(project, "node_modules", "arrowbook", "dist", "esm");
  const queue = ["index", "frame", "server", "notebook", "duckdb", "clickhouse", "trino", "testing"].map((name) =>
    join(folder, `${name}.d.ts`),
  );
  const seen = new Set(queue);
  const outside = new Set<string>();
  for (const file of queue) {
    for (const [, from] of readFileSync(file, "utf8").matchAll(/\b(?:from|import\()\s*"([^"]+)"/g)) {
      const next = resolve(dirname(file), from.replace(/\.js$/, ".d.ts"));
      if (!from.startsWith(".")) outside.add(`${relative(folder, file)}: ${from}`);
      else if (!seen.has(next)) {
        seen.add(next);
        queue.push(next);
      }
    }
  }
  expect(seen.size).toBeGreaterThan(50);
  const names = new Set([...outside].map((line) => line.slice(line.indexOf(": ") + 2)));
  expect(
    [...names].filter((name) => /^(?:@[^/]+\/[^/]+|[^@/][^/]*)\/./.test(name) && !name.startsWith("node:")),
  ).toEqual([...names].filter((name) => name.startsWith("arrowbook/")));
});

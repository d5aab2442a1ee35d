// Files in an object storage, signed for, beside the same files on the disk. The storage is moto, filled by boto3.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const NAMES = ["AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"];
const ROWS = 150_000;
const STRANGE = "odd names/a+b (1)é'&%.csv";

export async function compareStorage(python, { Frame, csvBatches }, check) {
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-storage-"));
  const before = NAMES.map((name) => process.env[name]);
  const frame = Frame.fromColumns({
    ticker: Array.from({ length: ROWS }, (_, i) => `T${Math.floor(i / 50_000)}`),
    noise: Float64Array.from({ length: ROWS }, (_, i) => Math.sin(i)),
  });
  const at = (name) => join(folder, name);
  for (const name of ["years", "odd names"]) mkdirSync(at(name));
  await frame.toParquet(at("prices.parquet"));
  await frame.toArrow(at("prices.arrow"));
  for (const year of [2023, 2024]) await frame.head(10).toParquet(at(`years/${year}.parquet`));
  writeFileSync(at(STRANGE), "a\n1\n");
  const storage = spawn(python, [join(import.meta.dirname, "storage.py"), folder], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, NO_PROXY: "127.0.0.1" },
  });
  const same = (what, one, other) => check(`storage: ${what}`, one === other, `${one} where ${other}`);
  const failed = async (what, code, read) => {
    const error = await read().catch((cause) => cause);
    same(what, error.code, code);
    check(`storage: ${what} shows no key`, !`${error.message} ${error.hint}`.includes(keys.secret), error.message);
  };
  const lines = createInterface({ input: storage.stdout })[Symbol.asyncIterator]();
  const keys = JSON.parse((await lines.next()).value);
  try {
    [keys.url, keys.key, keys.secret, "eu-central-1"].forEach((value, i) => {
      process.env[NAMES[i]] = value;
    });
    const chosen = await Frame.fromParquet("s3://market.data/prices.parquet", { where: { ticker: "T1" } });
    same("row groups", chosen.toCSV(), frame.filter((row) => row.ticker === "T1").toCSV());
    same("Arrow", (await Frame.fromArrow(new URL("s3://market.data/prices.arrow"))).numRows, ROWS);
    await failed("a missing object", "FileNotFound", () => Frame.fromCSV("s3://market.data/none.csv"));
    process.env.AWS_SECRET_ACCESS_KEY = `${keys.secret}x`;
    await failed("a wrong secret", "AccessDenied", () => Frame.fromCSV("s3://market.data/many/0001.txt"));
    delete process.env.AWS_ACCESS_KEY_ID;
    await failed("no credentials", "AccessDenied", () => Frame.fromCSV("s3://market.data/many/0001.txt"));
    // moto refuses boto3's own signatures of lists, in addresses and of keys with other characters; a unit test checks
    // ours.
    await fetch(`${keys.url}/moto-api/reset-auth`, { method: "POST", body: "1000000" });
    process.env.AWS_ACCESS_KEY_ID = keys.key;
    same("an address signed by boto3", (await Frame.fromParquet(keys.signed)).numRows, ROWS);
    same("a folder", (await Frame.fromParquet("s3://market.data/years/")).numRows, 20);
    const pattern = await Frame.fromParquet("s3://market.data/years/20*4.parquet", { source: "file" });
    same("a pattern", pattern.column("file").toArray()[0], "2024.parquet");
    same("a key with other characters", (await Frame.fromCSV(`s3://market.data/${STRANGE}`)).numRows, 1);
    let rows = 0;
    for await (const batch of csvBatches("s3://market.data/many/*.txt")) rows += batch.numRows;
    same("more keys than a page of the list has", rows, 1_005);
    await failed("an empty folder", "NotAFile", () => Frame.fromCSV("s3://market.data/none/"));
  } finally {
    NAMES.forEach((name, i) => {
      if (before[i] === undefined) delete process.env[name];
      else process.env[name] = before[i];
    });
    storage.stdin.end();
    await new Promise((done) => void storage.once("exit", done));
    rmSync(folder, { recursive: true });
  }
}

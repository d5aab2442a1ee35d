import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { serve } from "../../src/server.js";
import { databaseEntry, folderOf, get, tableEntry } from "./support.js";

const TYPES = { k: "Integer", wide: "BigDecimal(50,28)", at: "DateTime", text: "String" };
const table = tableEntry("V/T", TYPES, { filters: ["k", "at"], primary_key: ["k"] });
const wide = "1234567890123456789012.3456789012345678901234567890";
const csv = `k,wide,at,text\n1,${wide},2024-02-29T10:00:00Z,\n2,,,""\n`;

const statusOf = async (service: { url: string }) =>
  (
    (await get(service, "/datatables/V/T.json?qopts.export=true")).json() as {
      datatable_bulk_download: { file: { status: string; link: string; data_snapshot_time: string } };
    }
  ).datatable_bulk_download.file;

const fresh = async (service: { url: string }) => {
  for (;;) {
    const file = await statusOf(service);
    if (file.status === "fresh") return file;
    await new Promise((wake) => setTimeout(wake, 10));
  }
};

it("keeps rows, files, counts and cursors in a database file", async () => {
  const folder = folderOf({
    "catalog.json": {
      tables: [table],
      databases: [databaseEntry("D", { S: ["Date", "V"] })],
    },
    "t.csv": csv,
    "S.csv": "Date,V\n2020-01-01,1\n2020-01-02,\n",
  });
  const database = join(folder, "state.duckdb");

  const first = await serve({ data: folder, database });
  const page = (await get(first, "/datatables/V/T.json?qopts.per_page=1")).json() as {
    datatable: { data: unknown[][] };
    meta: { next_cursor_id: string };
  };
  await get(first, "/datasets/D/S.json");
  const made = await fresh(first);
  await first.close();

  // The data files are gone: what is served comes from the database file.
  const second = await serve({ database });
  expect(second.catalog().map((item) => item.code)).toEqual(["D", "D/S", "V/T"]);
  const next = await get(second, `/datatables/V/T.csv?qopts.per_page=1&qopts.cursor_id=${page.meta.next_cursor_id}`);
  expect(next.text).toBe('k,wide,at,text\n2,,,""\n');
  const kept = await statusOf(second);
  expect([kept.status, kept.data_snapshot_time]).toEqual(["fresh", made.data_snapshot_time]);
  expect((await fetch(kept.link)).status).toBe(200);
  expect((await fetch(made.link.replace(first.url, second.url))).status).toBe(404);
  expect((await get(second, "/databases/D.json")).json()).toMatchObject({ database: { downloads: 1 } });
  expect((await get(second, "/datasets/D/S.csv")).text).toMatch(/^Date,V\n2020-01-02,\n2020-01-01,1(\.0)?\n$/);
  await second.close();

  // A changed file is loaded again, and the export made before is out of date.
  writeFileSync(join(folder, "t.csv"), `${csv}3,0,2024-03-01T00:00:00Z,three\n`);
  utimesSync(join(folder, "t.csv"), 1_700_000_000, 1_700_000_000);
  const third = await serve({ data: folder, database });
  expect((await get(third, "/datatables/V/T.csv?k=3&qopts.columns=text,at")).text).toBe(
    "text,at\nthree,2024-03-01 00:00:00 UTC\n".replace(" 00:00:00 UTC", "T00:00:00Z"),
  );
  expect((await get(third, "/datatables/V/T/metadata.json")).text).toContain('"refreshed_at":"2023-11-14T22:13:20');
  expect((await statusOf(third)).status).toBe("regenerating");
  await fresh(third);
  await expect
    .poll(() => readdirSync(`${database}.files`).filter((name) => name.endsWith(".zip")), { timeout: 120_000 })
    .toHaveLength(1);
  await third.refresh("V/T");
  const refreshed = (await get(third, "/datatables/V/T/metadata.json")).text;
  expect(refreshed).not.toContain("2023-11-14");
  await third.close();
  const fourth = await serve({ data: folder, database });
  expect((await get(fourth, "/datatables/V/T/metadata.json")).text).toBe(refreshed);
  await fourth.close();
});

it("wide decimals, timestamps and null beside empty text come through exactly", async () => {
  const folder = folderOf({ "catalog.json": { tables: [table] }, "t.csv": csv });
  const service = await serve({ data: folder });
  expect((await get(service, "/datatables/V/T.json")).text).toContain(
    `[[1,${wide},"2024-02-29T10:00:00Z",null],[2,null,null,""]]`,
  );
  expect((await get(service, "/datatables/V/T.csv?at.gte=2024-02-29&qopts.columns=wide")).text).toBe(`wide\n${wide}\n`);
  expect((await get(service, "/datatables/V/T.csv?at.gt=2024-02-29T10:00:00Z&qopts.columns=k")).text).toBe("k\n");
  expect((await get(service, "/datatables/V/T.json?wide=1")).text).toContain("QESx08");
  await service.close();
});

it("a finished file is remembered at once, also when the service is killed", async () => {
  const folder = folderOf({ "catalog.json": { tables: [table] }, "t.csv": csv });
  const engine = await duckdbEngine();
  const options = { data: folder, database: join(folder, "state"), engine };
  const killed = await serve(options);
  await fresh(killed);
  const next = await serve(options);
  expect((await statusOf(next)).status).toBe("fresh");
  await next.close();
  await killed.close();
  await engine.close();
});

it("a database file that is open elsewhere is refused, in this process and in another", async () => {
  const folder = folderOf({ "catalog.json": { tables: [table] }, "t.csv": csv });
  const database = join(folder, "state.duckdb");
  const refusal = { name: "FileError", code: "DatabaseNotOpened" };
  const first = await serve({ data: folder, database });
  await expect(serve({ database })).rejects.toMatchObject(refusal);
  await first.close();
  const script = `
    const { DuckDBInstance } = require("@duckdb/node-api");
    DuckDBInstance.create(${JSON.stringify(database)}).then(() => process.stdout.write("open"));
    setInterval(() => {}, 1000);
  `;
  const holder = spawn(process.execPath, ["-e", script], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  await expect(serve({ database })).rejects.toMatchObject(refusal);
  holder.kill();
  await once(holder, "exit");
  await (await serve({ database })).close();
});

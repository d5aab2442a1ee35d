import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type SavedState, savedState } from "../../src/server/data/catalog.js";
import { readCatalog } from "../../src/server/data/catalog-file.js";
import { folderSource } from "../../src/server/data/source.js";
import { openStore } from "../../src/server/data/store.js";
import { engineUnderTest } from "./engine-under-test.js";
import { databaseEntry, folderOf, tableEntry } from "./support.js";

const catalog = {
  databases: [databaseEntry("D", { S: ["Date", "Value"] })],
  tables: [tableEntry("V/T", { k: "Integer" }, { filters: ["k"], primary_key: ["k"] })],
};

async function storeOf(wrap: (state: SavedState) => SavedState = (state) => state) {
  const engine = await engineUnderTest();
  afterAll(() => engine.close());
  const folder = folderOf({ "catalog.json": catalog, "t.csv": "k\n1\n", "S.csv": "Date,Value\n2024-01-02,1\n" });
  const source = { ...folderSource(folder, readCatalog(folder)), tablesOnDemand: true };
  const store = await openStore(engine, source, wrap(savedState(engine)));
  return { engine, store, write: (text: string): void => writeFileSync(join(folder, "t.csv"), text) };
}

describe("a refresh of a table whose rows are loaded on first use", () => {
  /** A store whose state is saved once `go` is called, after `hold`. */
  async function heldStore() {
    let isHeld = false;
    const held: (() => void)[] = [];
    const opened = await storeOf((state) => ({
      ...state,
      async write(values) {
        await state.write(values);
        if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      },
    }));
    isHeld = true;
    const go = (): void => {
      isHeld = false;
      for (const one of held) one();
    };
    return { ...opened, held, go };
  }

  it("removes the rows of a first load that it overtakes, not its own", async () => {
    const { engine, store, write, held, go } = await heldStore();
    const first = store.tables.get("V/T")?.ready();
    await expect.poll(() => held.length, { timeout: 60_000 }).toBe(1);
    write("k\n1\n2\n");
    const refreshed = store.refresh("V/T", "2030-01-01T00:00:00Z");
    await expect.poll(() => held.length, { timeout: 60_000 }).toBe(2);
    go();
    expect((await first)?.rows).toBe(1);
    await refreshed;
    const now = await store.tables.get("V/T")?.ready();
    expect(now?.rows).toBe(2);
    expect((await engine.query(`SELECT * FROM ${now?.table}`)).numRows).toBe(2);
  });

  it("keeps its rows where the table is first used before it is over", async () => {
    const { engine, store, held, go } = await heldStore();
    const refreshed = store.refresh("V/T", "2030-01-01T00:00:00Z");
    await expect.poll(() => held.length, { timeout: 60_000 }).toBe(1);
    expect((await store.tables.get("V/T")?.ready())?.rows).toBe(1);
    go();
    await refreshed;
    const now = await store.tables.get("V/T")?.ready();
    expect((await engine.query(`SELECT * FROM ${now?.table}`)).numRows).toBe(1);
  });
});

describe("a refresh of a code", () => {
  it.each(["D/S/x", "D", "D/", "/S", "V/T/x", ""])("%j that does not exist is an error", async (code) => {
    const { store } = await storeOf();
    await expect(store.refresh(code, "2030-01-01T00:00:00Z")).rejects.toMatchObject({ code: "UnknownCode" });
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";

/* Misspelt columns as the kernel's compiler sees them: what was written, and the message, which names the nearest. */
describe("a misspelt column in a cell is one short message before the cell runs", () => {
  let kernel: KernelClient;
  beforeAll(async () => {
    kernel = await startKernel(findKernel("arrowbook"), { env: { ...process.env, ARROWBOOK_URL: "" } });
    await kernel.execute(
      `const f = Frame.fromRows([{ ticker: "AAA", date: "2024-01-02", close: 1.5, "Adj. Close": 1.5 }]);
      const wide = Frame.fromColumns(Object.fromEntries(Array.from({ length: 60 }, (_, i) => ["measurement_" + i, [i]])));`,
      { timeout: 120_000 },
    );
  }, 180_000);
  afterAll(() => kernel.shutdown());

  it.each([
    ['f.select("clse")', 'There is no column "clse". Did you mean "close"?'],
    ['f.select("ticker", "clse")', 'There is no column "clse". Did you mean "close"?'],
    ['f.select("Adj Close")', 'There is no column "Adj Close". Did you mean "Adj. Close"?'],
    ['f.select("wholly")', 'There is no column "wholly". The columns are "ticker", "date", "close", "Adj. Close".'],
    ['f.drop("tickr")', 'There is no column "tickr". Did you mean "ticker"?'],
    ['f.sort("Close")', 'There is no column "Close". Did you mean "close"'],
    ['f.groupBy("tickr").count()', 'There is no column "tickr". Did you mean "ticker"?'],
    ['f.column("dte")', 'There is no column "dte". Did you mean "date"?'],
    ['f.describe("clse")', 'There is no column "clse". Did you mean "close"?'],
    ['f.valueCounts("tickr")', 'There is no column "tickr". Did you mean "ticker"?'],
    ['f.plot({ y: "clse" })', 'There is no column "clse". Did you mean "close"?'],
    ['f.rename({ clse: "last" })', 'There is no column "clse". Did you mean "close"?'],
    ['f.rename({ ticker: "name", clse: "last" })', 'There is no column "clse". Did you mean "close"?'],
    ['f.cast({ clse: "double" })', 'There is no column "clse". Did you mean "close"?'],
    ['f.groupBy("ticker").agg({ clse: "mean" })', 'There is no column "clse". Did you mean "close"?'],
    ['f.groupBy("ticker").agg({ close: "mean", dte: "max" })', 'There is no column "dte". Did you mean "date"?'],
    ['f.select(["ticker", "clse"])', 'There is no column "clse". Did you mean "close"?'],
    ['f.sort(["clse", "desc"])', 'There is no column "clse". Did you mean "close"?'],
    ['f.sort("ticker", ["clse", "desc"])', 'There is no column "clse". Did you mean "close"?'],
    ['f.corr("clse", "close")', 'There is no column "clse". Did you mean "close"?'],
    ['f.corr(["clse", "close"])', 'There is no column "clse". Did you mean "close"?'],
    ['f.quantile("clse", 0.5)', 'There is no column "clse". Did you mean "close"?'],
    ['f.unique("tickr")', 'There is no column "tickr". Did you mean "ticker"?'],
    ['f.dropNulls("clse")', 'There is no column "clse". Did you mean "close"?'],
    ['f.diff(1, { columns: "clse" })', 'There is no column "clse". Did you mean "close"?'],
    ['f.pctChange(1, { by: "tickr" })', 'There is no column "tickr". Did you mean "ticker"?'],
    ['f.pivot({ index: "dte", columns: "ticker", values: "close" })', 'There is no column "dte". Did you mean "date"?'],
    ['f.unpivot({ index: "dte" })', 'There is no column "dte". Did you mean "date"?'],
    ['wide.select("mesurement_41")', 'There is no column "mesurement_41". Did you mean "measurement_41"'],
    ['wide.rename({ mesurement_41: "x" })', 'There is no column "mesurement_41". Did you mean "measurement_41"'],
    ["f.filter((row) => row.clse > 1)", "Did you mean 'close'?"],
  ])("%s", async (code, message) => {
    const { reply, published } = await kernel.execute(code, { timeout: 120_000 });
    const { ename, evalue } = reply.content;
    expect(ename).toBe("TypeScriptError");
    expect(evalue).toContain(message);
    if (message.startsWith("There")) expect(String(evalue).length).toBeLessThan(120);
    const errors = published.filter(({ header }) => header.msg_type === "error");
    // One message, and the line of the cell with its mark.
    expect(String((errors[0].content["traceback"] as string[])[0])).toContain(message);
  });

  it("other messages of the compiler do not change", async () => {
    const { reply } = await kernel.execute("const n: number = f.numRows + missing", { timeout: 120_000 });
    expect(reply.content["evalue"]).toBe("1:31 - Cannot find name 'missing'.");
  });
});

import { describe, expect, it } from "vitest";
import { Frame } from "../../src/index.js";

const frame = Frame.fromRows(Array.from({ length: 10 }, (_, i) => ({ i })));
const endless = "select count(*) from range(10_000_000) a(i), range(10_000_000) b(j) where (a.i * b.j) % 7 = 3";
const long = Frame.fromRows(Array.from({ length: 140_000 }, (_, i) => ({ i })));

describe("sql() with a signal", () => {
  it.each([
    ["a short frame", frame],
    ["a frame that is read as lists", long],
  ])("an abort interrupts the statement over %s, and the engine answers the next", async (_, each) => {
    for (let turns = 0; turns < 20; turns += 3) {
      const stop = new AbortController();
      const stopped = each.sql(`${endless} and a.i in (select i from this)`, { signal: stop.signal });
      stopped.catch(() => undefined);
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
      const reason = new Error("enough");
      stop.abort(reason);
      await expect(stopped).rejects.toBe(reason);
    }
    const counted = await each.sql("select count(*) as n from this where i >= $1", { params: [5] });
    expect([...counted.rows()]).toEqual([{ n: each.numRows - 5 }]);
  });

  it("interrupts only its own statement", async () => {
    const stop = new AbortController();
    const stopped = frame.sql(`${endless} and a.i in (select i from this)`, { signal: stop.signal });
    stopped.catch(() => undefined);
    const other = await frame.sql("select sum(i) as total from this");
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
    expect([...other.rows()]).toEqual([{ total: 45 }]);
  });

  it("a signal that has aborted ends the call before the statement", async () => {
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(frame.sql("create table made as select 1", { signal })).rejects.toThrow("too late");
    await expect(frame.sql("not SQL", { signal })).rejects.toThrow("too late");
  });

  it("a signal that does not abort changes nothing", async () => {
    const { signal } = new AbortController();
    const found = await frame.sql("select i from this join o using (i)", { tables: { o: frame.head(2) }, signal });
    expect(found.numRows).toBe(2);
  });

  it("refuses other options", async () => {
    await expect(frame.sql("select 1", { signals: undefined } as object)).rejects.toMatchObject({
      code: "UnknownOption",
    });
  });
});

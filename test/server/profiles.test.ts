import { describe, expect, it } from "vitest";
import { serve } from "../../src/server.js";
import { defineProfile, nasdaqDataLink, type ProfileChanges, specification } from "../../src/spec/profile.js";
import { COLLAPSES, ORDERS, TRANSFORMS } from "../../src/spec/vocabulary.js";
import { get, sampleOf, started } from "./support.js";

const data = sampleOf("MARKET");

describe("a profile that promises what the service cannot compute is refused at the start", () => {
  it.each<[ProfileChanges, RegExp, RegExp?]>([
    [{ transforms: [...TRANSFORMS, "zscore"] }, /"zscore".*transforms/],
    [{ transforms: ["diff", "rdif"] }, /"rdif".*transforms/, /"rdiff"/],
    [{ collapses: [...COLLAPSES, "semiannual"] }, /"semiannual".*collapses/],
    [{ collapses: ["Monthly"] }, /"Monthly".*collapses/, /"monthly"/],
    [{ orders: [...ORDERS, "random"] }, /"random".*orders/],
    [{ orders: [] }, /orders/],
    [{ operators: ["eq", "like"] }, /"like".*operators/],
    [{ downloadWords: { full: "all", partial: "latest", weekly: "week" } }, /"weekly".*downloadWords/],
    [{ weekEnd: 7 }, /weekEnd.*7/],
    [{ weekEnd: 1.5 }, /weekEnd.*1\.5/],
    [{ transformDigits: 0 }, /transformDigits.*0/],
    [{ maxRowsPerReply: 0 }, /maxRowsPerReply.*0/],
    [{ maxQueryLength: -1 }, /maxQueryLength.*-1/],
    [{ linkLifetimeMs: Number.NaN }, /linkLifetimeMs.*NaN/],
    [{ exportsPerHour: -5 }, /exportsPerHour.*-5/],
  ])("%j", async (changes, message, hint) => {
    const profile = defineProfile(specification, { name: "own", ...changes });
    const error = await serve({ data, profile }).then(
      async (service) => service.close().then(() => new Error("it started")),
      (error) => error,
    );
    expect(error).toMatchObject({
      name: "InputError",
      code: "BadArgument",
      message: expect.stringMatching(message),
    });
    expect(error.hint).toMatch(hint ?? /./);
  });

  it("fewer values than the service computes are fine, and the others are refused by name", async () => {
    const profile = defineProfile(specification, { transforms: ["diff"], collapses: ["monthly"], orders: ["asc"] });
    const service = await started({ data, profile });
    const answer = await get(service, "/datasets/MARKET/AAA/data.json?transform=rdiff");
    expect(answer.status).toBe(422);
    expect(answer.text).toContain("rdiff");
    const rows = await get(service, "/datasets/MARKET/AAA/data.csv?transform=diff&collapse=monthly&limit=3");
    const dates = rows
      .rows()
      .slice(1)
      .map(([date]) => date);
    expect(dates).toEqual([...dates].sort());
  });
});

describe("the database file", () => {
  it.each([
    ["specification", specification, ["", "?download_type=full", "?download_type=partial"]],
    ["nasdaqDataLink", nasdaqDataLink, ["", "?download_type=complete", "?download_type=partial"]],
    ["its name", "nasdaqDataLink" as const, ["", "?download_type=complete"]],
  ])("spec 4.6: download_type of the profile %s has a default", async (_, profile, queries) => {
    const service = await started({ data, profile });
    const sizes = [];
    for (const query of queries) {
      const answer = await get(service, `/databases/MARKET/data${query}`, { redirect: "follow" });
      expect(answer.status).toBe(200);
      sizes.push(answer.headers.get("content-length"));
    }
    expect(sizes[0]).toBe(sizes[1]);
    const wrong = await get(service, "/databases/MARKET/data?download_type=complet");
    expect(wrong.status).toBe(422);
    expect(wrong.text).not.toMatch(/\\?"(\w+)\\?" is not known.*Did you mean \\?"\1\\?"/);
    expect(wrong.text).toContain(queries.includes("?download_type=full") ? "full" : "complete");
  });

  it("an unknown profile name is refused with the nearest", async () => {
    const start = serve({ data, profile: "nasdaqDatalink" as "nasdaqDataLink" });
    await expect(start).rejects.toMatchObject({
      code: "UnknownValue",
      hint: expect.stringContaining("nasdaqDataLink"),
    });
  });
});

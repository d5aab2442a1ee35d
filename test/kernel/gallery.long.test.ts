import { beforeAll, describe, expect, it } from "vitest";
import { needBuild } from "./build.js";
import { gallery, ranAndStored } from "./gallery.js";

beforeAll(needBuild);

describe("the gallery on stock tslab", () => {
  it("holds the notebooks that the documents name", () => {
    expect(gallery).toEqual([
      "bulk.ipynb",
      "danfo-arrow.ipynb",
      "interactive.ipynb",
      "own-service.ipynb",
      "python-client.ipynb",
      "quickstart.ipynb",
      "tables.ipynb",
      "time-series.ipynb",
    ]);
  });

  it.each(gallery.filter((name) => name !== "quickstart.ipynb"))("%s gives its stored outputs", async (name) => {
    const { ran, stored } = await ranAndStored(name, "tslab");
    expect(ran).toEqual(stored);
  });
});

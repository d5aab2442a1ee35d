import { beforeAll, describe, expect, it } from "vitest";
import { needBuild } from "../kernel/build.js";
import { gallery, ranAndStored } from "../kernel/gallery.js";

beforeAll(needBuild);

describe("the gallery on our kernel", () => {
  it.each(gallery)("%s gives what is stored in it from stock tslab", async (name) => {
    const { ran, stored } = await ranAndStored(name, "arrowbook");
    expect(ran).toEqual(stored);
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readNotebook } from "../../src/kernel/notebook/notebook-file.js";
import { runNotebook } from "../../src/kernel/notebook/run-notebook.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { needBuild } from "./build.js";
import { shown } from "./comparable-outputs.js";

const path = fileURLToPath(new URL("../../notebooks/quickstart.ipynb", import.meta.url));
const folder = temporaryFolder("quickstart");

describe("the quick start", () => {
  it("gives its stored outputs on stock tslab, and a page with tables, types and a chart", async () => {
    needBuild();
    const html = join(folder, "quickstart.html");
    const { notebook, kernel } = await runNotebook(path, { kernel: "tslab", output: false, html, timeout: 120_000 });
    expect(kernel).toBe("tslab");
    expect(shown(notebook)).toEqual(shown(await readNotebook(path)));
    const page = readFileSync(html, "utf8");
    expect(page).toContain("<small>BigDecimal(15,4)</small>");
    expect(page).toMatch(/<img src="data:image\/png;base64,/);
    expect(page).toContain("20,000 rows × 6 columns");
  });
});

// The part of test:lab for Notebook 7, from the server of JupyterLab: cells, a chart, a control, what is stored.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const NAME = "notebook7.ipynb";
const CELLS = [
  'const prices = await service.table("MARKET/PRICES").where({ ticker: "AAA" }).frame();\nprices',
  'prices.tail(250).plot({ y: "close" })',
  'interact({ span: range(5, 60) }, ({ span }) => "a span of " + span)',
];

/** Opens a stored notebook, runs its cells, moves a slider and saves. */
export async function notebook7({ page, notebook, suite, lab }) {
  const cells = CELLS.map((source, i) => ({
    cell_type: "code",
    id: `c${i}`,
    metadata: {},
    source,
    outputs: [],
    execution_count: null,
  }));
  const metadata = {
    kernelspec: { name: "arrowbook", display_name: "TypeScript (arrowbook)", language: "typescript" },
  };
  const path = join(lab.work, NAME);
  writeFileSync(path, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells }));
  await page.goto(`${lab.url}/notebooks/${NAME}`);
  await notebook.ready();
  for (let i = 0; i < CELLS.length; i++) {
    await notebook.cells.nth(i).locator(".cm-content").click();
    await page.keyboard.press("Shift+Enter");
    await notebook.done(notebook.cells.nth(i));
  }
  const [table, chart, control] = CELLS.map((_, i) => notebook.cells.nth(i).locator(".jp-OutputArea"));
  await table.locator("table.dataframe").waitFor();
  await chart.locator("svg.marks").first().waitFor();
  suite.check("Notebook 7: a table and a chart are shown", true);
  await control.locator(".arrowbook-live input[type=range]").fill("12");
  await suite.eventually(
    "Notebook 7: a slider runs its function again",
    () => control.textContent(),
    (text) => text.includes("a span of 12"),
  );
  await chart.scrollIntoViewIfNeeded();
  await page.screenshot({ path: fileURLToPath(new URL("pictures/notebook7.png", import.meta.url)) });
  await page.keyboard.press("Control+s");
  await suite.eventually(
    "Notebook 7: outputs are stored",
    () => JSON.parse(readFileSync(path, "utf8")).cells.map(({ outputs }) => outputs.length),
    (counts) => counts.slice(0, CELLS.length).every((count) => count > 0),
  );
}

// The pages that `arrowbook run --html` makes of a session, light and dark.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { hover } from "./hover.mjs";
import { hasTheme } from "./themes.mjs";

/** @param notebook the path of a saved notebook with a chart */
export async function sharedPages({ context, suite, root, folder, notebook }) {
  const made = (name, ...flags) => {
    const file = join(folder, name);
    execFileSync(
      process.execPath,
      [join(root, "dist/esm/cli.js"), "run", notebook, "--no-save", "--html", file, ...flags],
      { env: { ...process.env, ARROWBOOK_URL: "" }, stdio: "ignore" },
    );
    return `file://${file}`;
  };
  await interactive({ context, suite }, made("page.html", "--fold-code", "--interactive"));
  await still({ context, suite }, made("still.html"));
}

async function interactive({ context, suite }, address) {
  const violations = [];
  const shared = await context.newPage();
  shared.on("console", (message) => message.type() === "error" && violations.push(message.text()));
  await shared.goto(address);
  const drawn = shared.locator(".chart svg.marks");
  await drawn.waitFor();
  const tooltip = () => document.querySelector(".chart [title]:not([title=''])")?.getAttribute("title") ?? "";
  await suite.eventually(
    "shared page: a chart with tooltips",
    () => hover(drawn, () => shared.evaluate(tooltip)),
    (title) => /close/.test(title),
  );
  await suite.eventually(
    "shared page: code is folded",
    () => shared.locator("details.fold:not([open])").count(),
    (count) => count > 3,
  );
  for (const theme of ["light", "dark"]) {
    await shared.emulateMedia({ colorScheme: theme });
    await hasTheme(suite, `shared page: the chart in ${theme} colours`, drawn, theme);
  }
  suite.check("shared page: its policy refuses nothing of its own", violations.length === 0, violations[0]);
  await shared.close();
}

/** Charts are pictures, whose panel must have the colour of the page. */
async function still({ context, suite }, address) {
  const shared = await context.newPage();
  await shared.goto(address);
  const chart = shared.locator(".chart img").first();
  await chart.scrollIntoViewIfNeeded();
  for (const [theme, paper] of [
    ["light", "255,255,255"],
    ["dark", "20,24,29"],
  ]) {
    await shared.emulateMedia({ colorScheme: theme });
    await suite.eventually(
      `shared page: the panel of a picture has the ${theme} page's colour`,
      async () => cornerOf(context, await chart.screenshot()),
      (corner) => corner === paper,
    );
  }
  await shared.close();
}

/** The colour near the upper left corner of a screenshot. */
async function cornerOf(context, png) {
  const page = await context.newPage();
  try {
    return await page.evaluate(
      async (address) => {
        const image = new Image();
        image.src = address;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
        canvas.drawImage(image, 0, 0);
        return canvas.getImageData(3, 3, 1, 1).data.slice(0, 3).join();
      },
      `data:image/png;base64,${png.toString("base64")}`,
    );
  } finally {
    await page.close();
  }
}

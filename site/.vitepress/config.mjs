import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const { base, sidebar } = JSON.parse(
  readFileSync(fileURLToPath(new URL("../pages/sections.json", import.meta.url)), "utf8"),
);

/** Anchors of headings as on GitHub, so that links with anchors hold on both. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

export default defineConfig({
  title: "arrowbook",
  description: "Exact Arrow columns, frames and notebook pages from a market-data service",
  base,
  // Browsers ask for an icon, which there is not.
  head: [["link", { rel: "icon", href: "data:," }]],
  srcDir: "./pages",
  outDir: "./dist",
  cacheDir: "./pages/.cache",
  markdown: { html: true, attrs: { disable: true }, anchor: { slugify } },
  themeConfig: { sidebar, search: { provider: "local" }, outline: [2, 3] },
});

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const { base, sidebar } = JSON.parse(
  readFileSync(fileURLToPath(new URL("../pages/sections.json", import.meta.url)), "utf8"),
);

export default defineConfig({
  title: "arrowbook",
  description: "Exact Arrow columns, frames and notebook pages from a market-data service",
  base,
  srcDir: "./pages",
  outDir: "./dist",
  cacheDir: "./pages/.cache",
  markdown: { html: true, attrs: { disable: true } },
  themeConfig: { sidebar, search: { provider: "local" }, outline: [2, 3] },
});

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The pages of the site in reading order, by section. */
const SECTIONS = {
  Start: ["index", "docs/getting-started", "docs/tutorial"],
  "How to": [
    ...["docs/client", "docs/bulk", "docs/mirror", "docs/files", "docs/reading", "docs/frames", "docs/series", "docs/engines"],
    ...["docs/display", "docs/notebook", "docs/kernel", "docs/cli", "docs/browser", "docs/server", "docs/testing", "docs/profiles"],
  ],
  Guides: ["docs/recipes", "docs/guides/dataframes", "docs/guides/python-client"],
  Reference: ["reference/index", "docs/specification", "docs/types", "docs/errors", "docs/stability", "CHANGELOG"],
  Figures: [
    ...["docs/reliability", "docs/benchmarks", "docs/decisions"],
  ],
  Project: ["docs/architecture", "CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT"],
};

/** The sidebar: each page by its title. */
export function sections(folder) {
  return Object.entries(SECTIONS).map(([text, pages]) => ({
    text,
    items: pages.map((page) => ({
      text: readFileSync(join(folder, `${page}.md`), "utf8").match(/^# (.*)$/m)?.[1].replaceAll("`", "") ?? page,
      link: `/${page.replace(/(^|\/)index$/, "$1")}`,
    })),
  }));
}

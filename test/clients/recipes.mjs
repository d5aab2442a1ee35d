// The tasks of docs/recipes.md: Python and TypeScript run on the same files, and results of one name agree.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const page = join(here, "../../docs/recipes.md");

/** Runs both languages; `check` takes what was compared, whether it holds, and why not. */
export async function compareRecipes(python, arrowbook, check) {
  const text = readFileSync(page, "utf8");
  const code = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block).join("");
  const inPython = [...text.matchAll(/```python\n([\s\S]*?)```/g)].map(([, block]) => block).join("");
  const shared = [...code.matchAll(/^const (\w+) =/gm)].flatMap(([, name]) =>
    new RegExp(`^${name} =`, "m").test(inPython) ? [name] : [],
  );
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-recipes-"));
  const before = process.cwd();
  try {
    process.chdir(folder);
    const script = join(here, `.recipes-${process.pid}.mjs`);
    writeFileSync(script, `${code}\nexport const results = { ${shared.join(", ")} };\n`);
    const { results } = await import(pathToFileURL(script).href).finally(() => rmSync(script));
    for (const [name, value] of Object.entries(results)) {
      const frame = value instanceof arrowbook.Frame ? value : arrowbook.Frame.fromColumns({ [name]: value });
      await frame.toParquet(`${name}.ours.parquet`);
    }
    const lines = execFileSync(python, [join(here, "recipes.py"), folder, page], { encoding: "utf8" })
      .trim()
      .split("\n");
    const found = new Map(lines.map((line) => JSON.parse(line)));
    for (const name of shared) check(`docs/recipes.md: ${name}`, found.get(name) === null, found.get(name));
  } finally {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  }
}

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { assemblyScript } from "../../.config/assemblyscript.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Builds the package's entry for child processes, which cannot read TypeScript; gives the path of the module. */
export async function builtLibrary(): Promise<string> {
  const folder = join(root, "node_modules", ".cache", `arrowbook-faults-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    input: {
      index: join(root, "src/index.ts"),
      main: join(root, "src/cli/main.ts"),
      "exit-with": join(root, "src/cli/exit-with.ts"),
    },
    platform: "node",
    plugins: [assemblyScript()],
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
    logLevel: "silent",
  });
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" });
  await bundle.close();
  return folder;
}

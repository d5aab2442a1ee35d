import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileError } from "../../errors/file-error.js";

/** The names of `arrowbook` that every notebook can use without importing them. */
export const PACKAGE_NAMES = ["connect", "Frame", "display", "progress", "bulkFile"] as const;

/** The functions of `arrowbook/notebook` among those names. */
export const NOTEBOOK_NAMES = [
  "prompt",
  "confirm",
  "password",
  "sh",
  "timeit",
  "interact",
  "range",
  "html",
  "md",
] as const;

const DECLARATIONS = "arrowbook-notebook.d.ts";

/** The compiler options of cells, as far as an editor can have them. */
const TSCONFIG = {
  compilerOptions: {
    target: "ES2022",
    lib: ["ES2022"],
    module: "ESNext",
    moduleResolution: "Bundler",
    moduleDetection: "force",
    esModuleInterop: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    strict: false,
    noEmit: true,
  },
  include: ["**/*.ts"],
};

export interface EditorTypesOptions {
  readonly tables?: string;
  /** The prelude's service is that of `ARROWBOOK_URL`, not the sample. */
  readonly hasAddress: boolean;
}

/**
 * Writes declarations of the names that notebooks have without imports into `folder`, and a `tsconfig.json` if there is
 * none.
 *
 * @returns the paths of the written files
 * @throws {FileError} if a file cannot be written
 */
export async function writeEditorTypes(folder: string, options: EditorTypesOptions): Promise<string[]> {
  const written: string[] = [];
  const write = async (name: string, text: string): Promise<void> => {
    const path = join(folder, name);
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(path, text);
    } catch (cause) {
      throw fileError(path, "write", cause, { what: "declarations" });
    }
    written.push(path);
  };
  await write(DECLARATIONS, declarations(options));
  if (!existsSync(join(folder, "tsconfig.json"))) {
    await write("tsconfig.json", `${JSON.stringify(TSCONFIG, null, 2)}\n`);
  }
  return written;
}

function declarations({ tables = "", hasAddress }: EditorTypesOptions): string {
  const constants = [
    ...PACKAGE_NAMES.map((name) => `  const ${name}: typeof import("arrowbook").${name};`),
    `  type Frame<Row extends object = import("arrowbook").AnyRow> = import("arrowbook").Frame<Row>;`,
    `  const service: import("arrowbook").${hasAddress ? "Service" : "SampleService"};`,
    ...NOTEBOOK_NAMES.map((name) => `  const ${name}: typeof import("arrowbook/notebook").${name};`),
  ];
  return `// Written by \`arrowbook kernel types\`: the names that notebooks have without imports.
declare global {
${constants.join("\n")}
}
${tables === "" ? "" : `\n${tables}`}
export {};
`;
}

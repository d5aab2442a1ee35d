import { statSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { dirname, extname, join, resolve } from "node:path";
import { packageRoot } from "../../package/package-root.js";

/**
 * Resolves the imports of cells: packages and files from `folder`, and TypeScript files beside the notebook; `tslab` is
 * `tslabModule`.
 */
export function cellRequire(folder: string, tslabModule: () => unknown) {
  const compiled = new Map<string, string>();
  const loaded = new Map<string, unknown>();
  const importers = new Map<string, Set<string>>();
  const fromFolder = createRequire(join(folder, "cell.js"));

  const requireFrom =
    (place: string, load: NodeJS.Require, importer?: string) =>
    (id: string): unknown => {
      if (id === "tslab") return tslabModule();
      if (!/^\.{0,2}\//.test(id)) return load(id);
      return sideModule(resolve(place, id), importer) ?? loadFresh(load, id);
    };

  const sideModule = (path: string, importer: string | undefined): unknown => {
    const file = extname(path) === "" ? `${path}.js` : path;
    const key = file.replaceAll("\\", "/");
    if (importer !== undefined) importers.set(key, (importers.get(key) ?? new Set()).add(importer));
    if (loaded.has(key)) return loaded.get(key);
    const text = compiled.get(key);
    if (text === undefined) return undefined;
    const module = new Module(file) as Module & { _compile(text: string, file: string): void };
    module.filename = file;
    module.require = requireFrom(dirname(file), createRequire(file), key) as NodeJS.Require;
    // Registered before it runs, so that circular imports work.
    loaded.set(key, module.exports);
    module._compile(text, file);
    loaded.set(key, module.exports);
    return module.exports;
  };

  /** A module that is loaded again must be loaded again by all that import it. */
  const forget = (key: string): void => {
    if (!loaded.delete(key)) return;
    for (const importer of importers.get(key) ?? []) forget(importer);
  };

  const load = Object.assign((id: string): unknown => {
    try {
      return fromFolder(id);
    } catch (error) {
      if (!isMissing(error, id) || !/^arrowbook($|\/)/.test(id)) throw error;
      return createRequire(join(packageRoot(), "package.json"))(id);
    }
  }, fromFolder);

  return {
    require: requireFrom(folder, load),
    /** Registers the compiled source of side-loaded files, by their JavaScript paths. */
    update(outputs: readonly { readonly path: string; readonly data: string }[]): void {
      for (const { path, data } of outputs) {
        forget(path);
        compiled.set(path, data);
      }
    },
  };
}

/** The states of local files that Node has loaded, such as JSON. */
const loadedStates = new Map<string, number>();

/** Loads a local file by Node, again if it changed. */
function loadFresh(load: NodeJS.Require, id: string): unknown {
  const file = load.resolve(id);
  const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (loadedStates.has(file) && loadedStates.get(file) !== changed) delete load.cache[file];
  loadedStates.set(file, changed);
  return load(id);
}

function isMissing(error: unknown, id: string): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === "MODULE_NOT_FOUND" && message !== undefined && message.includes(`'${id}'`);
}

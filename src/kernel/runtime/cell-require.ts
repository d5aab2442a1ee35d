import Module, { createRequire } from "node:module";
import { dirname, extname, join, resolve } from "node:path";
import { packageRoot } from "../../package/package-root.js";

/**
 * What a cell gets for `import`: packages and files from the working folder, and TypeScript files beside the notebook.
 */
export interface CellRequire {
  readonly require: (id: string) => unknown;
  /** Takes the compiled text of side-loaded files, by the path of what they would be as JavaScript. */
  readonly update: (outputs: readonly { readonly path: string; readonly data: string }[]) => void;
}

/** A `require` that starts at `folder`; `tslab` is answered by `tslabModule`. */
export function cellRequire(folder: string, tslabModule: () => unknown): CellRequire {
  const compiled = new Map<string, string>();
  const loaded = new Map<string, unknown>();
  const fromFolder = createRequire(join(folder, "cell.js"));

  const requireFrom =
    (place: string, load: (id: string) => unknown) =>
    (id: string): unknown => {
      if (id === "tslab") return tslabModule();
      const side = /^\.{0,2}\//.test(id) ? sideModule(resolve(place, id)) : undefined;
      if (side !== undefined) return side;
      return load(id);
    };

  const sideModule = (path: string): unknown => {
    const file = extname(path) === "" ? `${path}.js` : path;
    const key = file.replaceAll("\\", "/");
    if (loaded.has(key)) return loaded.get(key);
    const text = compiled.get(key);
    if (text === undefined) return undefined;
    const module = new Module(file) as Module & { _compile(text: string, file: string): void };
    module.filename = file;
    module.require = requireFrom(dirname(file), createRequire(file)) as NodeJS.Require;
    // Entered before it runs, so that files may import each other in circles.
    loaded.set(key, module.exports);
    module._compile(text, file);
    loaded.set(key, module.exports);
    return module.exports;
  };

  return {
    require: requireFrom(folder, (id) => {
      try {
        return fromFolder(id);
      } catch (error) {
        if (!isMissing(error, id) || !/^arrowbook($|\/)/.test(id)) throw error;
        return createRequire(join(packageRoot(), "package.json"))(id);
      }
    }),
    update(outputs) {
      for (const { path, data } of outputs) {
        loaded.delete(path);
        compiled.set(path, data);
      }
    },
  };
}

function isMissing(error: unknown, id: string): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === "MODULE_NOT_FOUND" && message !== undefined && message.includes(`'${id}'`);
}

// Which modules share a file of the built package. Opening, resolving and linking a file costs Node more than most of
// what is in it: what `import "arrowbook"` loads is in three large files and a few tiny ones, divided so that the
// kernel and a notebook's prelude load no more than they use.
import { resolve } from "node:path";

/** Files by what loads them, the smallest first: a module is in the file of the first that needs it. */
const FILES = {
  common: ["testing", "kernel/runtime/launch", "kernel/notebook/run-notebook", "kernel/install/install"],
  display: ["notebook", "display/table/foreign"],
  arrowbook: ["index"],
};
/** The launcher's thread of sockets must start fast: its modules are in files of their own. */
const APART = ["launcher", "kernel/runtime/socket-thread"];

/** A rolldown plugin that reads the graph of modules, and the groups of modules for `output.codeSplitting`. */
export function chunks() {
  let fileOf = () => null;
  return {
    plugin: {
      name: "chunks",
      buildEnd() {
        const closure = (names) => {
          const seen = new Set();
          const visit = (id) => {
            const info = seen.has(id) ? null : this.getModuleInfo(id);
            if (info === null) return;
            seen.add(id);
            info.importedIds.forEach(visit);
          };
          for (const name of names) visit(resolve(`src/${name}.ts`));
          return seen;
        };
        const loaded = closure(FILES.arrowbook);
        const files = Object.entries(FILES).map(([name, roots]) => [name, closure(roots)]);
        const apart = closure(APART);
        fileOf = (id) => {
          const isEntry = this.getModuleInfo(id)?.isEntry === true;
          if (isEntry || apart.has(id) || !loaded.has(id)) return null;
          return files.find(([, ids]) => ids.has(id))[0];
        };
      },
    },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "loaded at import", name: (id) => fileOf(id) }],
    },
  };
}

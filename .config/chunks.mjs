// Which modules share a file of the built package. Opening, resolving and linking a file costs Node more than most of
// what is in it: what `import "arrowbook"` loads is in three large files and a few tiny ones, divided so that the
// kernel and a notebook's prelude load no more than they use. What it loads on first use is in a file for each purpose.
import { resolve } from "node:path";

/** Files by what loads them, the smallest first: a module is in the file of the first that needs it. */
const FILES = {
  common: ["testing", "kernel/runtime/launch", "kernel/notebook/run-notebook", "kernel/install/install"],
  display: ["notebook", "display/table/foreign"],
  arrowbook: ["index"],
};
/** What is loaded on first use, by purpose. What several of them need is in a file of its own, named after them. */
const PURPOSES = {
  files: ["columns/files/csv-file", "columns/files/lines-file", "columns/files/zip-file"],
  tables: [
    "columns/files/parquet-file",
    "columns/files/parquet-threads",
    "columns/parquet/read/nested-source",
    "format/zstd-blocks",
  ],
  arrow: ["columns/ipc/read/read"],
  remote: ["transport/object-storage"],
  service: [
    "client/query/dataset-frame",
    "client/query/table-reading",
    "client/query/table-export",
    "client/query/database-bulk",
    "client/bulk/download",
    "client/discovery/codes",
    "client/pages/table-plan",
  ],
  bulk: ["client/bulk/archive"],
  mirror: ["client/mirror/place-at", "client/mirror/plan"],
  serve: ["server/serve", "server/data/sample"],
  kernel: ["kernel/runtime/launch"],
  compiler: ["kernel/runtime/language-thread"],
  run: ["kernel/notebook/run-notebook"],
  install: ["kernel/install/install"],
};
/** The launcher's thread of sockets must start fast: its modules are in files of their own. */
const APART = ["launcher", "kernel/runtime/socket-thread"];

/** Pages load `frame` or `index`; what is read in one of several ways is in files that neither needs at first. */
export const PAGE = {
  files: { frame: ["frame"] },
  rest: { arrowbook: ["index"] },
  purposes: {
    csv: ["columns/files/csv-file"],
    csvThreads: ["columns/files/csv-threads"],
    lines: ["columns/files/lines-file"],
    parquet: ["columns/files/parquet-file"],
    parquetThreads: ["columns/files/parquet-threads"],
    nested: ["columns/parquet/read/nested-source"],
    arrow: ["columns/ipc/read/read"],
    zip: ["columns/files/zip-file"],
    zstd: ["format/zstd-blocks"],
    packed: ["format/gzip", "format/zstd"],
    queries: ["client/query/table-reading", "client/query/dataset-frame"],
    remote: ["transport/object-storage"],
  },
  later: { csvThreads: "csv", parquetThreads: "parquet", nested: "parquet" },
  apart: [],
};
const NODE = { files: FILES, rest: {}, purposes: PURPOSES, later: {}, apart: APART };

/**
 * A rolldown plugin that reads the graph of modules, and the groups of modules for `output.codeSplitting`.
 *
 * @param plan `files` have what is loaded together, `purposes` what is not in them and loaded on first use, `later` the
 *   purpose that is loaded before another, `rest` what remains of others that are loaded together
 */
export function chunks({ files: loadedFirst, rest, purposes: onUse, later, apart: single } = NODE) {
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
        const loaded = closure(Object.values(loadedFirst).at(-1));
        const apart = closure(single);
        const closures = (files) => Object.entries(files).map(([name, roots]) => [name, closure(roots)]);
        const [files, purposes, others] = [loadedFirst, onUse, rest].map(closures);
        fileOf = (id) => {
          const isEntry = this.getModuleInfo(id)?.isEntry === true;
          if (isEntry || apart.has(id)) return null;
          if (loaded.has(id)) return files.find(([, ids]) => ids.has(id))[0];
          const all = [...others, ...purposes].flatMap(([name, ids]) => (ids.has(id) ? [name] : []));
          const named = all.filter((name) => !all.includes(later[name]));
          return named.length === 0 ? null : named.join("-");
        };
      },
    },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "loaded together", name: (id) => fileOf(id) }],
    },
  };
}

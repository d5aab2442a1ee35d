// What differs in the code for pages (dist/browser): the platform room is its other half, and modules that need Node
// (`node` in .config/layers.json) are replaced by errors that say so.
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const src = fileURLToPath(new URL("../src", import.meta.url));
const { node, parts } = JSON.parse(readFileSync(new URL("layers.json", import.meta.url), "utf8"));
const stubs = JSON.stringify(resolve(src, "errors/page-parts.ts"));
/** Before the name of a module of {@link parts}: the module that replaces it. */
const PART = "\0part:";

/** Modules that do nothing where threads share no memory, and what pages have instead. */
const IDLE = { "columns/workers/copy-columns": "export const copyOnTwoThreads = () => undefined;" };

/** The name of a module of `src`. */
const pathOf = (id) => relative(src, id).replaceAll("\\", "/").replace(/\.ts$/, "");

/** What a module of `src` is, if it needs Node. */
function purposeOf(id) {
  const path = pathOf(id);
  return Object.entries(node).find(([name]) => path === name || path.startsWith(`${name}/`))?.[1];
}

/** The names of the values that a module exports. */
const valuesOf = (text) => [
  ...[...text.matchAll(/^export (?:async )?(?:abstract )?(?:function\*?|class|const|let) (\w+)/gm)].map(
    ([, name]) => name,
  ),
  ...[...text.matchAll(/^export \{([^}]+)\}/gm)].flatMap(([, list]) =>
    list.split(",").flatMap((item) => /^\s*(?!type )(?:\w+ as )?(\w+)\s*$/.exec(item)?.[1] ?? []),
  ),
];

/** A module with the names of another, whose values `make` returns for arguments and each name. */
function stubsOf(id, make, ...values) {
  const given = values.map((value) => JSON.stringify(value)).join(", ");
  const places = valuesOf(readFileSync(id, "utf8")).map(
    (name) => `export const ${name} = /* @__PURE__ */ ${make}(${given}, "${name}");`,
  );
  return { code: [`import { ${make} } from ${stubs};`, ...places].join("\n"), moduleType: "js" };
}

/** The file of `src` that is imported by a relative path, without its extension. */
const nameOf = (source, importer) =>
  relative(src, resolve(importer, "..", source))
    .replaceAll("\\", "/")
    .replace(/\.js$/, "");

/**
 * A plugin for rolldown and vite.
 *
 * @param apart whether frames find the modules of `parts` (.config/layers.json) only where `index` has loaded them, and
 *   idle modules are left out
 */
export function forPages({ apart = false } = {}) {
  return {
    name: "for-pages",
    enforce: "pre",
    async resolveId(source, importer, options) {
      if (source.endsWith(".bin") && importer !== undefined) return resolve(importer, "..", source);
      if (apart && source.startsWith(".") && importer?.startsWith(src)) {
        const name = nameOf(source, importer);
        const isOutside = /^(?:frame|series)\//.test(relative(src, importer)) && !(nameOf(importer, src) in parts);
        if (isOutside && name in parts) return PART + name;
      }
      if (!source.includes("platform/node/")) return null;
      return this.resolve(source.replace("platform/node/", "platform/browser/"), importer, options);
    },
    load(id) {
      if (id.endsWith(".bin")) {
        return { code: `export const binary = "${readFileSync(id).toString("base64")}";`, moduleType: "js" };
      }
      if (id.startsWith(PART)) {
        const name = id.slice(PART.length);
        return stubsOf(resolve(src, `${name}.ts`), "ofPart", parts[name], name);
      }
      if (apart && pathOf(id) in IDLE) return { code: IDLE[pathOf(id)], moduleType: "js" };
      const what = id.startsWith(src) ? purposeOf(id) : undefined;
      return what === undefined ? null : stubsOf(id, "needsNode", what);
    },
    transform(code, id) {
      if (!apart || id !== resolve(src, "index.ts")) return null;
      const loads = Object.keys(parts).map(
        (name, i) => `import * as part${i} from "./${name}.js"; addPart("${name}", part${i});`,
      );
      return { code: [`import { addPart } from ${stubs};`, ...loads, code].join("\n"), map: null };
    },
  };
}

// What differs in the code for pages (dist/browser): the platform room is its other half, and modules that need Node
// (`node` in .config/layers.json) are replaced by errors that say so.
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const src = fileURLToPath(new URL("../src", import.meta.url));
const { node } = JSON.parse(readFileSync(new URL("layers.json", import.meta.url), "utf8"));
const needsNode = resolve(src, "errors/errors.ts");

/** What a module of `src` is, if it needs Node. */
function purposeOf(id) {
  const path = relative(src, id).replaceAll("\\", "/").replace(/\.ts$/, "");
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

/** A plugin for rolldown and vite. */
export function forPages() {
  return {
    name: "for-pages",
    enforce: "pre",
    async resolveId(source, importer, options) {
      if (source.endsWith(".bin") && importer !== undefined) return resolve(importer, "..", source);
      if (!source.includes("platform/node/")) return null;
      return this.resolve(source.replace("platform/node/", "platform/browser/"), importer, options);
    },
    load(id) {
      if (id.endsWith(".bin")) {
        return { code: `export const binary = "${readFileSync(id).toString("base64")}";`, moduleType: "js" };
      }
      const what = id.startsWith(src) ? purposeOf(id) : undefined;
      if (what === undefined) return null;
      const values = valuesOf(readFileSync(id, "utf8"));
      const places = values.map((name) => `export const ${name} = /* @__PURE__ */ needsNode(${JSON.stringify(what)});`);
      return {
        code: [`import { needsNode } from ${JSON.stringify(needsNode)};`, ...places].join("\n"),
        moduleType: "js",
      };
    },
  };
}

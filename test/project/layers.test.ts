import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const src = join(root, "src");

/**
 * The order of imports, lowest first. `layers` orders the folders of `src`, `rooms` the folders inside one of them; `.`
 * is the folder's own files. A file may import its own room and any lower one, type imports included; rooms on one line
 * never import each other.
 */
const { layers, rooms, node } = JSON.parse(readFileSync(join(root, ".config/layers.json"), "utf8")) as {
  readonly layers: readonly (readonly string[])[];
  readonly rooms: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Folders and modules that need Node: in a page, errors that name what is on the right take their place. */
  readonly node: Readonly<Record<string, string>>;
};

/** Files at the root of `src` that are not entries: the public surface and what is put together above `server`. */
const INDEX_FILES = new Set(["index.ts", "connect.ts"]);

/** Files a folder may hold directly. */
const MOST_FILES = 20;

const inSrc = (file: string): string => relative(src, file).split("\\").join("/");

const layerOf = (file: string): string => {
  const path = inSrc(file);
  if (path.includes("/")) return path.split("/")[0];
  return INDEX_FILES.has(path) ? "index" : "entry";
};

const rank = (order: readonly (readonly string[])[], name: string): number =>
  order.findIndex((names) => names.includes(name));

/** The room of `folder` that holds `path`, both relative to `src`; `.` for the folder's own files. */
const roomOf = (folder: string, path: string): string => {
  const [first, ...rest] = path.slice(folder.length + 1).split("/");
  return rest.length === 0 ? "." : first;
};

const files = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => join(entry.parentPath, entry.name));

const importsOf = (file: string): string[] => {
  const text = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const found: string[] = [];
  for (const match of text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.[^"']+)["']/g)) {
    // Programs and data import nothing.
    if (!match[1].endsWith(".js")) continue;
    found.push(resolve(dirname(file), match[1]).replace(/\.js$/, ".ts"));
  }
  return found;
};

const graph = new Map(files.map((file) => [file, importsOf(file)]));

const edges = [...graph].flatMap(([from, targets]) => targets.map((to) => [inSrc(from), inSrc(to)] as const));

it("every folder has a place in the order", () => {
  const unplaced = files.filter((file) => rank(layers, layerOf(file)) === -1).map(inSrc);
  expect(unplaced).toEqual([]);
});

it("imports between layers go one way", () => {
  const wrong = edges
    .map(([from, to]) => [from, to, layerOf(join(src, from)), layerOf(join(src, to))] as const)
    .filter(([, , from, to]) => from !== to && rank(layers, to) >= rank(layers, from))
    .map(([from, to]) => `${from} -> ${to}`);
  expect(wrong).toEqual([]);
});

it("every folder with sub-folders orders them", () => {
  const parents = new Set<string>();
  for (const file of files) {
    const parts = inSrc(file).split("/");
    for (let depth = 1; depth < parts.length - 1; depth++) parents.add(parts.slice(0, depth).join("/"));
  }
  expect(Object.keys(rooms).sort()).toEqual([...parents].sort());
});

it.each(Object.entries(rooms))("imports between the rooms of %s go one way", (folder, order) => {
  const inside = (path: string): boolean => path.startsWith(`${folder}/`);
  const unplaced = files.map(inSrc).filter((path) => inside(path) && rank(order, roomOf(folder, path)) === -1);
  expect(unplaced).toEqual([]);
  const wrong = edges
    .filter(([from, to]) => inside(from) && inside(to) && roomOf(folder, from) !== roomOf(folder, to))
    .filter(([from, to]) => rank(order, roomOf(folder, to)) >= rank(order, roomOf(folder, from)))
    .map(([from, to]) => `${from} -> ${to}`);
  expect(wrong).toEqual([]);
});

it(`no folder of src holds more than ${MOST_FILES} files directly`, () => {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = dirname(inSrc(file));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
});

it("the client and the server never import each other's inside", () => {
  const wrong = edges.filter(([from, to]) => from.startsWith("server/") && to.startsWith("client/"));
  expect(wrong).toEqual([]);
});

it("there are no import cycles", () => {
  const cycles: string[] = [];
  const state = new Map<string, "open" | "done">();
  const visit = (file: string, path: string[]): void => {
    if (state.get(file) === "done") return;
    if (state.get(file) === "open") {
      cycles.push([...path.slice(path.indexOf(file)), file].map((f) => inSrc(f)).join(" -> "));
      return;
    }
    state.set(file, "open");
    for (const target of graph.get(file) ?? []) if (graph.has(target)) visit(target, [...path, file]);
    state.set(file, "done");
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

it("only columns/arrow imports the Arrow library", () => {
  const wrong = files
    .filter((file) => !inSrc(file).startsWith("columns/arrow/"))
    .filter((file) => /from\s*["']apache-arrow["']/.test(readFileSync(file, "utf8")))
    .map(inSrc);
  expect(wrong).toEqual([]);
});

/** What a page does not have. */
const OF_NODE =
  /(?:from |import\()["']node:|\bBuffer\.|\bcreateRequire\b|\bbuiltin\(|\bprocess\.(?:std\w+|env(?!\.MY_KEY)|on|off|emitWarning|nextTick|memoryUsage|getBuiltinModule|cwd)\b/;

it("only what needs Node uses it", () => {
  const paths = Object.keys(node);
  const needsNode = (name: string): boolean =>
    paths.some((path) => name === `${path}.ts` || name.startsWith(`${path}/`));
  expect(
    paths.filter((path) => !files.map(inSrc).some((name) => name === `${path}.ts` || name.startsWith(`${path}/`))),
  ).toEqual([]);
  const wrong = files
    .filter((file) => layerOf(file) !== "entry" && !needsNode(inSrc(file)))
    .filter((file) => {
      const code = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
      return OF_NODE.test(code);
    })
    .map(inSrc);
  expect(wrong).toEqual([]);
});

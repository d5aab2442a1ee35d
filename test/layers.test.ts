import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const src = fileURLToPath(new URL("../src", import.meta.url));

/** Lowest first; a file may import its own layer's folder and anything lower, type imports included. */
const ORDER = [
  ["wasm"],
  ["errors"],
  ["package"],
  ["spec"],
  ["value"],
  ["format"],
  ["document"],
  ["columns"],
  ["series", "display", "engine"],
  ["frame"],
  ["client"],
  ["server"],
  ["index"],
  ["kernel"],
  ["cli"],
  ["entry"],
];

/** Files at the root of `src` that are not entries: the public surface and what is put together above `server`. */
const INDEX_FILES = new Set(["index.ts", "connect.ts"]);

const layerOf = (file: string): string => {
  const path = relative(src, file).split("\\").join("/");
  if (path.includes("/")) return path.split("/")[0];
  return INDEX_FILES.has(path) ? "index" : "entry";
};

const rank = (layer: string): number => ORDER.findIndex((names) => names.includes(layer));

const files = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => join(entry.parentPath, entry.name));

const importsOf = (file: string): string[] => {
  const text = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const found: string[] = [];
  for (const match of text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.[^"']+)["']/g)) {
    found.push(resolve(dirname(file), match[1]).replace(/\.js$/, ".ts"));
  }
  return found;
};

const graph = new Map(files.map((file) => [file, importsOf(file)]));

it("every folder has a place in the order", () => {
  const unknown = files.filter((file) => rank(layerOf(file)) === -1).map((file) => relative(src, file));
  expect(unknown).toEqual([]);
});

it("imports go one way", () => {
  const wrong: string[] = [];
  for (const [file, targets] of graph) {
    for (const target of targets) {
      const from = layerOf(file);
      const to = layerOf(target);
      if (from !== to && rank(to) >= rank(from)) wrong.push(`${relative(src, file)} -> ${relative(src, target)}`);
    }
  }
  expect(wrong).toEqual([]);
});

it("client and server never import each other's inside", () => {
  const wrong: string[] = [];
  for (const [file, targets] of graph) {
    for (const target of targets) {
      if (layerOf(file) === "server" && layerOf(target) === "client") wrong.push(relative(src, file));
    }
  }
  expect(wrong).toEqual([]);
});

it("there are no import cycles", () => {
  const cycles: string[] = [];
  const state = new Map<string, "open" | "done">();
  const visit = (file: string, path: string[]): void => {
    if (state.get(file) === "done") return;
    if (state.get(file) === "open") {
      cycles.push([...path.slice(path.indexOf(file)), file].map((f) => relative(src, f)).join(" -> "));
      return;
    }
    state.set(file, "open");
    for (const target of graph.get(file) ?? []) if (graph.has(target)) visit(target, [...path, file]);
    state.set(file, "done");
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

it("only columns/ imports the Arrow library", () => {
  const wrong = files
    .filter((file) => layerOf(file) !== "columns")
    .filter((file) => /from\s*["']apache-arrow["']/.test(readFileSync(file, "utf8")))
    .map((file) => relative(src, file));
  expect(wrong).toEqual([]);
});

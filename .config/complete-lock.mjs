// Adds to the package-lock.json of the current folder the optional packages of other platforms that npm left out: the
// registry in use does not carry them, and `npm ci` refuses a lock file without them. Each entry says its version and
// platform; npm skips it elsewhere.
import { readFileSync, writeFileSync } from "node:fs";

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const packages = lock.packages;

/** The place a package's dependency is taken from: the nearest `node_modules` on the way up. */
const placeOf = (from, name) => {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === "") return undefined;
  }
};

const word = (name, words) => words.find((candidate) => new RegExp(`(^|[-/])${candidate}($|-)`).test(name));

let added = 0;
for (const [place, entry] of Object.entries({ ...packages })) {
  if (place === "" || entry.link) continue;
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (placeOf(place, name) !== undefined) continue;
    const os = word(name, ["android", "darwin", "win32", "linux", "freebsd", "openharmony"]);
    const cpu = word(name, ["arm64", "x64", "ia32", "arm", "ppc64", "s390x", "riscv64", "loong64", "wasm32"]);
    packages[`node_modules/${name}`] = {
      version: range.replace(/^[\^~]/, ""),
      ...(cpu && { cpu: [cpu] }),
      ...(entry.dev && { dev: true }),
      ...(name.includes("musl") && { libc: ["musl"] }),
      optional: true,
      ...(os && { os: [os] }),
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages of other platforms added`);

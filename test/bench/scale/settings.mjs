// Where the measurements keep their files, and which build they measure.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Root of the repository. */
export const root = resolve(import.meta.dirname, "../../..");

/** The folder for data: about 30 bytes a row of each size while it is measured, and three times that at most. */
export const folder = process.env.ARROWBOOK_SCALE ?? join(root, "bench-data/scale");

/** The results, from which the tables of test/bench/results/scale.md are written. */
export const RESULTS = join(import.meta.dirname, "results.json");

export const SIZES = [1, 5, 20, 80].map((millions) => millions * 1_000_000);

/** Memory of an engine in this process, so that a measurement leaves the machine usable. */
export const ENGINE = { memoryLimit: "4GB", threads: 2 };

const dist = resolve(process.env.ARROWBOOK_DIST ?? join(root, "dist"));

/** A module of the built package: `index`, `server`, `duckdb`, `clickhouse`. */
export const built = (name) => import(pathToFileURL(join(dist, "esm", `${name}.js`)).href);

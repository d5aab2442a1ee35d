import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Papa from "papaparse";
import { afterAll } from "vitest";
import { type RunningService, type ServeOptions, type Source, sampleData, serve } from "../../src/server.js";
import { defineProfile, nasdaqDataLink } from "../../src/spec/profile.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { engineUnderTest, isClickhouse } from "./engine-under-test.js";

/** The public service's profile, with a key for every call. */
export const withKeys = defineProfile(nasdaqDataLink, {
  extensions: nasdaqDataLink.extensions.value.filter((name) => name !== "noKey"),
});

/** An answer as a test looks at it. */
export interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  json(): never;
  rows(): string[][];
}

/** Asks a service; the key `sample` is added unless the path has one. */
export async function get(service: { readonly url: string }, path: string, init?: RequestInit): Promise<Got> {
  const key = /[?&]api_key=/.test(path) ? "" : `${path.includes("?") ? "&" : "?"}api_key=sample`;
  const answer = await fetch(`${service.url}/api/v3${path}${key}`, { redirect: "manual", ...init });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    json: () => JSON.parse(text) as never,
    rows: () => Papa.parse<string[]>(text, { skipEmptyLines: true }).data,
  };
}

/** The sample's entries with these codes only (databases and tables), so that a test loads what it asks about. */
export function sampleOf(...codes: string[]): Source {
  const source = sampleData();
  const { databases, tables } = source.catalog;
  return {
    ...source,
    catalog: {
      databases: databases.filter((entry) => codes.includes(entry.database_code)),
      tables: tables.filter((entry) => codes.includes(`${entry.vendor_code}/${entry.datatable_code}`)),
    },
  };
}

/** A service for the tests of one file, on the engine of this run; closed at its end. */
export async function started(options: Partial<ServeOptions> = {}): Promise<RunningService> {
  const engine = options.engine ?? (isClickhouse ? await engineUnderTest() : undefined);
  const service = await serve({ data: sampleData(), ...options, engine });
  afterAll(() => service.close());
  return service;
}

/** A folder of this test file with these files; removed at its end. */
export function folderOf(files: Readonly<Record<string, string | object>>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

/** The entry of a table in a catalogue, its columns by their types; `more` has other fields, or replaces some. */
export function tableEntry(code: string, types: Readonly<Record<string, string>>, more: object = {}) {
  const [vendor_code, datatable_code] = code.split("/");
  const columns = columnSpecs(types);
  return { vendor_code, datatable_code, name: datatable_code, columns, file: "t.csv", ...more };
}

/** The entry of a database in a catalogue, with a daily series for each code and its columns in a file of that name. */
export function databaseEntry(code: string, series: Readonly<Record<string, readonly string[]>>, more: object = {}) {
  const datasets = Object.entries(series).map(([dataset_code, columns]) => ({
    ...{ dataset_code, name: dataset_code, frequency: "daily", columns, file: `${dataset_code}.csv` },
  }));
  return { database_code: code, name: code, datasets, ...more };
}

/** A catalogue with one series `T/S`. */
export function seriesCatalog(columns: readonly string[], premium = false): object {
  return {
    databases: [
      {
        database_code: "T",
        name: "T",
        premium,
        datasets: [{ dataset_code: "S", name: "S", frequency: "daily", columns, file: "s.csv" }],
      },
    ],
  };
}

import { CODES, type Service } from "../../client/service.js";
import { connect } from "../../connect.js";
import { sampleData } from "../../server/data/sample.js";
import type { ProfileName } from "../../spec/profile.js";
import { keyOf } from "../input/key-input.js";

export type CodeKind = "database" | "dataset" | "table";

type Flags = ReadonlyMap<string, string>;

/** Where codes and columns of a service are looked up; nothing is found without an error. */
export interface Lookup {
  codes(kind: CodeKind, text: string, flags: Flags): Promise<readonly string[]>;
  columns(kind: CodeKind, code: string, flags: Flags): Promise<readonly string[]>;
  /** The columns of a table by which the service filters. */
  filters(code: string, flags: Flags): Promise<readonly string[]>;
}

/** The longest that a completion waits for the service. */
const PATIENCE_MS = 300;

/**
 * Looks up codes and columns at the service that the flags and the environment name, for 300 ms at most; without an
 * address, and with `--sample`, in the catalogue of the sample data.
 */
export const lookup: Lookup = {
  codes: (kind, text, flags) =>
    silently(flags, sampleCodes(kind), (service, signal) => {
      type Codes = (kind: CodeKind, text: string, signal: AbortSignal) => Promise<readonly string[]>;
      return (service as unknown as Record<symbol, Codes>)[CODES](kind, text, signal);
    }),
  columns: (kind, code, flags) =>
    silently(flags, sampleColumns(kind, code), async (service, signal) => {
      if (kind === "table") return (await service.table(code).metadata({ signal })).columns.map(({ name }) => name);
      return kind === "dataset" ? (await service.dataset(code).metadata({ signal })).column_names : [];
    }),
  filters: (code, flags) =>
    silently(flags, sampleFilters(code), async (service, signal) => {
      return (await service.table(code).metadata({ signal })).filters;
    }),
};

async function silently(
  flags: Flags,
  sample: () => readonly string[],
  ask: (service: Service, signal: AbortSignal) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const url = flags.get("url") ?? process.env["ARROWBOOK_URL"];
  const profile = flags.get("profile") as ProfileName | undefined;
  try {
    if (flags.has("sample") || (!url && profile === undefined)) return sample();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const service = connect({
      url,
      profile,
      apiKey: await keyOf({ key: flags.get("key"), keyFile: flags.get("keyFile") }),
      signal,
      retry: { attempts: 1 },
      onProgress: false,
      warn: () => undefined,
    });
    return await ask(service, signal);
  } catch {
    return []; // Offline, without a key, or an unknown code: there is nothing to offer.
  }
}

const sampleCodes = (kind: CodeKind) => (): readonly string[] => {
  const { databases, tables } = sampleData().catalog;
  if (kind === "database") return databases.map((database) => database.database_code);
  if (kind === "table") return tables.map((table) => `${table.vendor_code}/${table.datatable_code}`);
  return databases.flatMap(({ database_code, datasets }) =>
    datasets.map((dataset) => `${database_code}/${dataset.dataset_code}`),
  );
};

const sampleTable = (code: string) =>
  sampleData().catalog.tables.find((table) => `${table.vendor_code}/${table.datatable_code}` === code);

const sampleColumns = (kind: CodeKind, code: string) => (): readonly string[] => {
  if (kind === "table") return sampleTable(code)?.columns.map(({ name }) => name) ?? [];
  const [database, dataset] = code.split("/");
  const datasets = sampleData().catalog.databases.find((each) => each.database_code === database)?.datasets;
  return datasets?.find((each) => each.dataset_code === dataset)?.columns.map(String) ?? [];
};

const sampleFilters = (code: string) => (): readonly string[] => sampleTable(code)?.filters ?? [];

import { cellTexts } from "../../columns/arrow/to-text-rows.js";
import type { DatasetData, DatasetMetadata } from "../../document/records.js";
import type { RowsToWrite } from "../../document/rows.js";
import { suggestion } from "../../errors/nearest.js";
import type { Call } from "../../spec/endpoints.js";
import type { Profile } from "../../spec/profile.js";
import { COLLAPSES, ORDERS, type Order, TRANSFORMS } from "../../spec/vocabulary.js";
import { NO_DATE, parseDate } from "../../value/date.js";
import { type Refused, refused } from "../data/refused.js";
import { type SeriesQuestion, seriesSql } from "../data/series-sql.js";
import { seriesColumns } from "../data/source.js";
import type { StoredDatabase, StoredDataset } from "../data/store.js";
import { countDownload, databaseOf } from "./answer-database.js";
import { needSubscription } from "./keys.js";
import { type Answer, answerReply } from "./reply.js";
import type { Asker, ServiceState } from "./service-state.js";
import { slices } from "./slices.js";

interface Place {
  readonly database: StoredDatabase;
  readonly dataset: StoredDataset;
}

function placeOf(call: Call, state: ServiceState): Place {
  const database = databaseOf(call, state);
  const code = call.codes["dataset_code"];
  const dataset = database.datasets.get(code);
  if (dataset !== undefined) return { database, dataset };
  const both = `${database.entry.database_code}/${code}`;
  const known = suggestion(code, [...database.datasets.keys()], "datasets");
  throw refused(state.profile, "QECx02", `The dataset ${JSON.stringify(both)} does not exist. ${known}`);
}

function metadata({ database, dataset }: Place): DatasetMetadata & { readonly database_id: number } {
  const { entry } = dataset;
  return {
    id: entry.id,
    dataset_code: entry.dataset_code,
    database_code: database.entry.database_code,
    name: entry.name,
    description: entry.description,
    refreshed_at: dataset.refreshedAt,
    newest_available_date: dataset.newest,
    oldest_available_date: dataset.oldest,
    column_names: entry.columns,
    frequency: entry.frequency,
    type: entry.type,
    premium: database.entry.premium,
    database_id: database.entry.id,
  };
}

/** Spec 4.3. */
export function answerDatasetMetadata(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const fields = metadata(placeOf(call, state));
  const reply = { resource: "datasetMetadata", tag: JSON.stringify(fields), make: async () => ({ fields }) } as const;
  return answerReply(call, reply, asker.ifNoneMatch, state);
}

/** Spec 4.1, and 4.2 on its path. */
export function answerDatasetData(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  return answerRows("datasetData", call, asker, state);
}

/** Spec 4.2 and 4.4; in CSV the rows alone. */
export function answerDataset(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  return answerRows("dataset", call, asker, state);
}

async function answerRows(
  resource: "datasetData" | "dataset",
  call: Call,
  asker: Asker,
  state: ServiceState,
): Promise<Answer> {
  const place = placeOf(call, state);
  const { database, dataset } = place;
  if (database.entry.premium) needSubscription(asker.subscriber, dataset.code, `view this dataset`, state.profile);
  const { question, titles, echo } = readQuestion(call, place, state);
  countDownload(database, state);
  const about = metadata(place);
  const fields = {
    ...(resource === "dataset" ? about : { frequency: about.frequency }),
    ...echo,
    column_names: titles,
  };
  const make = async () => ({ fields, rows: await seriesRows(question, titles, state) });
  return answerReply(
    call,
    { resource, tag: JSON.stringify([fields, dataset.version]), make },
    asker.ifNoneMatch,
    state,
  );
}

/** Rows that are read between two looks at the clock. */
const ROWS_PER_STEP = 256;

async function seriesRows(
  question: SeriesQuestion,
  titles: readonly string[],
  state: ServiceState,
): Promise<RowsToWrite> {
  const { sql, params } = seriesSql(question, state.profile);
  const rows: (string | null)[][] = [];
  const slice = slices();
  for await (const batch of state.store.engine.batches(sql, params)) {
    for (const row of cellTexts(batch)) {
      rows.push(row);
      if (rows.length % ROWS_PER_STEP === 0) await slice.pause();
    }
  }
  return { columns: seriesColumns(titles), rows };
}

function defaultOrder({ orders }: Profile): Order {
  return ORDERS.find((order) => order === orders.value[0]) ?? ORDERS[0];
}

type Echo = Omit<DatasetData, "column_names" | "frequency">;

/**
 * The parameters of spec 4.2, checked, and their echo. Where no date bounds the range, its ends are those of the
 * series.
 */
function readQuestion(
  call: Call,
  { database, dataset }: Place,
  { profile }: ServiceState,
): { question: SeriesQuestion; titles: string[]; echo: Echo } {
  const given = call.parameters;
  const wrong = (name: string, what: string): Refused =>
    refused(profile, "QESx04", `${name} ${JSON.stringify(given[name].slice(0, 80))} ${what}`);
  // `serve` refuses a profile that lists what the service cannot compute; the second test narrows the type.
  const word = <T extends string>(name: string, listed: readonly string[], computed: readonly T[]): T | undefined => {
    const value = given[name];
    if (value === undefined) return undefined;
    const known = computed.find((each) => each === value);
    if (known !== undefined && listed.includes(known)) return known;
    throw wrong(name, `is not known. ${suggestion(value.slice(0, 80), listed, "values")}`);
  };
  const whole = (name: string, least: number): number | undefined => {
    if (given[name] === undefined) return undefined;
    const value = /^\d{1,15}$/.test(given[name]) ? Number(given[name]) : Number.NaN;
    if (!(value >= least)) throw wrong(name, `is not a whole number from ${least} on.`);
    return value;
  };
  const date = (name: string): string | undefined => {
    if (given[name] !== undefined && parseDate(given[name]) === NO_DATE) throw wrong(name, "is not a date YYYY-MM-DD.");
    return given[name];
  };
  const index = whole("column_index", 0);
  const titles = dataset.entry.columns;
  if (index !== undefined && index >= titles.length) {
    throw wrong("column_index", `is not a column: this series has columns 0 (${titles[0]}) to ${titles.length - 1}.`);
  }
  const chosen = index === undefined ? titles.map((_, i) => i).slice(1) : index === 0 ? [] : [index];
  const collapse = word("collapse", profile.collapses.value, COLLAPSES);
  const transform = word("transform", profile.transforms.value, TRANSFORMS);
  const order = word("order", profile.orders.value, ORDERS) ?? defaultOrder(profile);
  const [startDate, endDate, limit] = [date("start_date"), date("end_date"), whole("limit", 1)];
  return {
    question: {
      table: database.table,
      series: dataset.series,
      columns: chosen.map((i) => dataset.columns[i]),
      startDate,
      endDate,
      collapse: collapse ?? "none",
      transform: transform ?? "none",
      order,
      limit,
    },
    titles: [titles[0], ...chosen.map((i) => titles[i])],
    echo: {
      limit: limit ?? null,
      transform: transform ?? null,
      column_index: index ?? null,
      start_date: startDate ?? dataset.oldest,
      end_date: endDate ?? dataset.newest,
      collapse: collapse ?? null,
      order,
    },
  };
}

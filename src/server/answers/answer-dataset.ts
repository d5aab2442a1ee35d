import { cellBatch } from "../../columns/arrow/cell-batch.js";
import type { CellBatch } from "../../document/cells/cell-batch.js";
import type { DatasetData, DatasetMetadata } from "../../document/records.js";
import type { Allocate } from "../../engine/contract/engine.js";
import { suggestion } from "../../errors/nearest.js";
import { seriesColumns } from "../../spec/columns.js";
import type { Call } from "../../spec/endpoints.js";
import { hasExtension, type Profile } from "../../spec/profile.js";
import { COLLAPSES, ORDERS, TRANSFORMS } from "../../spec/vocabulary.js";
import { dayPart, NO_DATE, parseDate } from "../../value/date.js";
import type { StoredDatabase, StoredDataset } from "../data/open-database.js";
import { type Refused, refused } from "../data/refused.js";
import { type SeriesQuestion, seriesBatches } from "../data/series-batches.js";
import { countDownload, databaseOf } from "./answer-database.js";
import { byCode } from "./by-code.js";
import { needSubscription } from "./keys.js";
import { type Answer, answerFields, answerReply } from "./reply.js";
import type { Asker, ServiceState } from "./service-state.js";

interface Place {
  readonly database: StoredDatabase;
  readonly dataset: StoredDataset;
}

function placeOf(call: Call, state: ServiceState): Place {
  const database = databaseOf(call, state);
  const code = call.codes["dataset_code"];
  const shown = `${database.entry.database_code}/${code}`;
  const dataset = byCode(database.datasets, code, { kinds: "datasets", subject: "The dataset", shown }, state.profile);
  return { database, dataset };
}

/** The metadata of a time series (spec 2.2). */
export function datasetFields({ database, dataset }: Place): DatasetMetadata & { readonly database_id: number } {
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
  return answerFields("datasetMetadata", datasetFields(placeOf(call, state)), call, asker, state);
}

/** The rows of a time series (spec 4.1, 4.2), with its metadata (spec 4.4) unless in CSV. */
export async function answerSeries(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const resource = call.endpoint === "dataset" ? "dataset" : "datasetData";
  const place = placeOf(call, state);
  const { database, dataset } = place;
  if (database.entry.premium) needSubscription(asker.subscriber, dataset.code, `view this dataset`, state.profile);
  const { question, titles, echo } = readQuestion(call, place, state);
  const unnamed = question === undefined;
  countDownload(database, state);
  const about = datasetFields(place);
  const fields = {
    ...(resource === "dataset" ? about : { frequency: about.frequency }),
    ...echo,
    // The name is null, which only JSON can represent.
    column_names: unnamed && call.format !== "xml" && call.format !== "csv" ? [titles[0], null as never] : titles,
  };
  const make = async (signal: AbortSignal, allocate: Allocate) => {
    const batches: CellBatch[] = [];
    const place = { engine: state.store.engine, profile: state.profile, allocate };
    for await (const { data, numRows } of unnamed ? [] : seriesBatches(question, place)) {
      signal.throwIfAborted();
      batches.push(cellBatch(data.children, numRows));
    }
    return { fields, rows: { columns: seriesColumns(titles), batches } };
  };
  const reply = { resource, tag: JSON.stringify([fields, dataset.version]), make } as const;
  return answerReply(call, reply, asker, state).finally(database.held.hold([dataset.series]));
}

/** Readers of the parameters of spec 4.2: the value of each, undefined for a missing one. */
function seriesParameters({ parameters: given }: Call, profile: Profile) {
  const wrong = (name: string, what: string): Refused =>
    refused(profile, "QESx04", `${name} ${JSON.stringify(given[name].slice(0, 80))} ${what}`);
  // `serve` rejects a profile that lists what the service cannot compute; the second test narrows the type.
  const word = <T extends string>(name: string, listed: readonly string[], computed: readonly T[]): T | undefined => {
    const value = given[name];
    if (value === undefined) return undefined;
    const known = computed.find((each) => each === value);
    if (known !== undefined && listed.includes(known)) return known;
    throw wrong(name, `is not known. ${suggestion(value, listed, "values")}`);
  };
  const whole = (name: string, least: number): number | undefined => {
    if (given[name] === undefined) return undefined;
    const value = /^\d{1,15}$/.test(given[name]) ? Number(given[name]) : Number.NaN;
    if (!(value >= least)) throw wrong(name, `is not a whole number from ${least} on.`);
    return value;
  };
  const date = (name: string): string | undefined => {
    if (given[name] === undefined) return undefined;
    const dated = hasExtension(profile, "dateTimes") ? dayPart(given[name]) : given[name];
    const day = hasExtension(profile, "months") && /^\d{4}-\d\d$/.test(dated) ? `${dated}-01` : dated;
    if (parseDate(day) === NO_DATE) throw wrong(name, "is not a date YYYY-MM-DD.");
    return day;
  };
  return { word, whole, date, wrong };
}

type Echo = Omit<DatasetData, "column_names" | "frequency">;

/**
 * Validates the parameters of spec 4.2 and returns them with their echo. Without a date bound, the range ends with the
 * series. Without a question, the column does not exist and the reply has one without a name.
 */
function readQuestion(
  call: Call,
  { database, dataset }: Place,
  { profile }: ServiceState,
): { question: SeriesQuestion | undefined; titles: string[]; echo: Echo } {
  const { word, whole, date, wrong } = seriesParameters(call, profile);
  const index = whole("column_index", 0);
  const titles = dataset.entry.columns;
  const isUnknown = index !== undefined && index >= titles.length;
  if (isUnknown && !hasExtension(profile, "unnamedColumn")) {
    throw wrong("column_index", `is not a column: this series has columns 0 (${titles[0]}) to ${titles.length - 1}.`);
  }
  const chosen = index === undefined ? titles.map((_, i) => i).slice(1) : index === 0 || isUnknown ? [] : [index];
  const collapse = word("collapse", profile.collapses.value, COLLAPSES);
  const transform = word("transform", profile.transforms.value, TRANSFORMS);
  const usual = ORDERS.find((each) => each === profile.orders.value[0]) ?? ORDERS[0];
  const order = word("order", profile.orders.value, ORDERS) ?? usual;
  const [startDate, endDate, limit] = [date("start_date"), date("end_date"), whole("limit", 1)];
  return {
    question: isUnknown
      ? undefined
      : {
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
    titles: [titles[0], ...(isUnknown ? [""] : chosen.map((i) => titles[i]))],
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

import { isArrowbookError } from "../../errors/errors.js";
import { shownText } from "../../errors/shown.js";
import type { Call } from "../../spec/endpoints.js";
import { boundOf } from "../../value/when.js";
import type { StoredTable } from "../data/open-table.js";
import type { Period } from "../data/past-tables.js";
import { type Refused, refused } from "../data/refused.js";
import { answerTableRows, tableOf } from "./answer-table.js";
import { needSubscription } from "./keys.js";
import type { Answer } from "./reply.js";
import type { Asker, ServiceState } from "./service-state.js";

/** The rows of a table as they were known at a time, or at any time of a period: extension `pointInTime`. */
export async function answerPastRows(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const { profile, past, store } = state;
  const table = tableOf(call, state);
  if (table.entry.premium) needSubscription(asker.subscriber, table.code, "view this datatable", profile);
  const period = periodOf(call, state);
  const versions = (await past.versions(table.code)) ?? [];
  const [first] = versions;
  if (first === undefined) throw refused(profile, "QECx02", `The datatable ${table.code} has no earlier states here.`);
  if (Date.parse(first.known_at) >= period.from) {
    throw refused(profile, "QESx04", `The history of ${table.code} begins with its state of ${first.known_at}.`);
  }
  const engine = await past.engine();
  const answer = (rows: StoredTable): Promise<Answer> => {
    const tables = new Map([[table.code, rows]]);
    return answerTableRows(call, asker, { ...state, store: { ...store, engine, tables } });
  };
  return past.read(table, versions, period, answer).catch((error: unknown) => {
    // The columns of the table changed within the period.
    throw isArrowbookError(error) && error.code === "BadArgument" ? refused(profile, "QESx04", error.message) : error;
  });
}

function periodOf({ endpoint, codes }: Call, { profile }: ServiceState): Period {
  const wrong = (text: string, why: string): Refused =>
    refused(profile, "QESx04", `${shownText(text)} is not ${why}: YYYY-MM-DD, or a timestamp in UTC.`);
  const time = (text: string, isExcluded = false): number => {
    try {
      const written = text.replace(" ", "T");
      return isExcluded && /^[\d-]+$/.test(written)
        ? boundOf(`${written}T00:00Z`) - 1
        : boundOf(written) - Number(isExcluded);
    } catch {
      throw wrong(text, "a date");
    }
  };
  const { date, start_date: start = date, end_date: end = date } = codes;
  const period = { from: time(start), before: time(end, endpoint === "pastRowsUntil") };
  if (endpoint !== "pastRows" && period.before < period.from) throw wrong(end, "an end after the start");
  return period;
}

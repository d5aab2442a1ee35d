import { readdir } from "node:fs/promises";
import type { Service } from "../../client/service.js";
import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { Frame } from "../../frame/frame.js";
import type { Collapse, Order, Transform } from "../../spec/vocabulary.js";

/** Rows that an assistant asks for. */
export interface Question {
  readonly code: string;
  /** Default a table. */
  readonly kind?: "table" | "dataset";
  /** Of a table, as in `where()`. */
  readonly where?: Readonly<Record<string, never>>;
  readonly columns?: readonly string[];
  /** Of a time series, as in its methods of these names. */
  readonly from?: string;
  readonly to?: string;
  readonly collapse?: Collapse;
  readonly transform?: Transform;
  readonly order?: Order;
}

/** Where an assistant's questions are answered: a service, or copies of its tables. */
export interface AnswerSource {
  /** Databases, series and tables, all or those with the terms of `text`. */
  find(text: string | undefined, signal: AbortSignal): Promise<readonly object[]>;
  describe(question: Question, signal: AbortSignal): Promise<object>;
  /** What a query would take. */
  explain(question: Question, signal: AbortSignal): Promise<object>;
  /** At most `most` rows; one more shows that there are more. */
  rows(question: Question, most: number, signal: AbortSignal): Promise<Frame>;
}

/** A service, in its newest state. */
export function serviceSource(service: Service): AnswerSource {
  const table = ({ code, where, columns = [] }: Question) => {
    const query = where === undefined ? service.table(code) : service.table(code).where(where);
    const [first, ...rest] = columns;
    return first === undefined ? query : query.select(first, ...rest);
  };
  const series = ({ code, columns, from, to, collapse, transform, order }: Question) => {
    let query = service.dataset(code);
    if (columns?.[0] !== undefined) query = query.column(columns[0]);
    if (from !== undefined) query = query.from(from);
    if (to !== undefined) query = query.to(to);
    if (collapse !== undefined) query = query.collapse(collapse);
    if (transform !== undefined) query = query.transform(transform);
    return order === undefined ? query : query.order(order);
  };
  const isSeries = ({ kind }: Question): boolean => kind === "dataset";
  return {
    find: async (text, signal) => (text === undefined ? service.catalog({ signal }) : service.search(text, { signal })),
    describe: (question, signal) =>
      isSeries(question) ? series(question).metadata({ signal }) : service.table(question.code).metadata({ signal }),
    explain: (question, signal) => (isSeries(question) ? series(question) : table(question)).explain({ signal }),
    rows: (question, most, signal) =>
      isSeries(question)
        ? series(question).limit(most).frame({ signal })
        : table(question).limit(most).frame({ signal }),
  };
}

/** The copies that `arrowbook sync` keeps in a place, in their newest state or as they were known at `asOf`. */
export function copySource(place: string, asOf: string | undefined): AnswerSource {
  const open = async ({ code, kind = "table" }: Question) => {
    if (kind !== "table") throw noSeries(place);
    if (!/^[\w-][\w.-]*\/[\w-][\w.-]*$/.test(code)) {
      throw new InputError(`${shown(code)} is not the code of a table.`, {
        code: "BadCode",
        hint: "Pass VENDOR/TABLE.",
      });
    }
    const { copyAt, copyIn } = await import("../../client/mirror/place-at.js");
    return copyAt(copyIn(place, code), code);
  };
  const read = async (question: Question): Promise<Frame> => {
    const { where, columns } = question;
    return (await open(question)).frame({ asOf, where, columns: columns && [...columns], onProgress: false });
  };
  return {
    async find(text = "") {
      const terms = text.toLowerCase().split(/\s+/);
      const codes = (await codesIn(place)).filter((code) => terms.every((term) => code.toLowerCase().includes(term)));
      return codes.map((code) => ({ kind: "table", code }));
    },
    async describe(question) {
      const copy = await open(question);
      const { columns, numRows, source, key } = await read({ ...question, columns: undefined, where: undefined });
      const { refreshed_at } = source ?? {};
      return { code: copy.code, columns, primary_key: key, rows: numRows, refreshed_at, as_of: asOf };
    },
    async explain(question) {
      const copy = await open(question);
      return { code: copy.code, requests: 0, from: "a copy on this machine", as_of: asOf };
    },
    rows: async (question, most) => (await read(question)).head(most),
  };
}

/** The codes of the copies in a folder: `VENDOR/TABLE`. */
async function codesIn(place: string): Promise<string[]> {
  try {
    const paths = await readdir(place, { recursive: true, encoding: "utf8" });
    const found = paths.map((path) => /^([^/\\]+)[/\\]([^/\\]+)[/\\]manifest\.json$/.exec(path));
    return found.flatMap((match) => (match === null ? [] : [`${match[1]}/${match[2]}`])).sort();
  } catch (cause) {
    throw new InputError(`The copies in ${place} cannot be listed.`, {
      code: "NoCatalog",
      hint: "Pass the code of a table: VENDOR/TABLE.",
      cause,
    });
  }
}

const noSeries = (place: string): InputError =>
  new InputError(`${place} has copies of tables alone, no time series.`, {
    code: "BadArgument",
    hint: 'Ask for a table: kind "table".',
  });

const NAMES = ["code", "kind", "where", "columns", "from", "to", "collapse", "transform", "order"] as const;

/** @throws {InputError} UnknownOption, and BadArgument for options of the other kind, which would be ignored */
export function checkQuestion(question: Question, more: readonly string[] = []): void {
  refuseUnknown(question, [...NAMES, ...more], "The question");
  const isSeries = question.kind === "dataset";
  const foreign = isSeries ? (["where"] as const) : (["from", "to", "collapse", "transform", "order"] as const);
  const name = foreign.find((each) => question[each] !== undefined);
  const columns = isSeries && (question.columns?.length ?? 0) > 1;
  if (name === undefined && !columns) return;
  throw new InputError(`${name ?? "columns"} is not for a ${isSeries ? "time series" : "table"}.`, {
    code: "BadArgument",
    hint: isSeries
      ? "Pass from, to, collapse, transform, order and at most one column."
      : 'Filter by where; a time series has kind "dataset".',
  });
}

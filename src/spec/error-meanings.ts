/** The meaning of an error code: retry advice and the next step. */
export interface ErrorMeaning {
  /** HTTP status that comes with the code. */
  readonly status?: number;
  /** Whether the same call can succeed later. */
  readonly retryable: boolean;
  /** The least delay in milliseconds, if the code implies one. */
  readonly after?: number;
  /** What to do next. */
  readonly hint: string;
}

/** The next step for a query that is too long or has too many rows. */
export const EXPORT_HINT =
  "Request an export instead (.export()), without filters if the query is long, and filter locally: see docs/bulk.md.";

const once = (status: number, hint: string) => ({ status, retryable: false, hint });
const again = (status: number, hint: string, after?: number) => ({
  status,
  retryable: true,
  hint,
  ...(after !== undefined && { after }),
});

/** The error codes of services as observed. An error is classified by its code first, then by its status. */
export const ERROR_MEANINGS = {
  QELx01: once(429, "The daily limit of calls without a key is used up; try again tomorrow or use a key."),
  QELx02: once(429, "The daily limit of this key is used up; try again tomorrow."),
  QELx03: once(429, "The daily limit of this key is used up; try again tomorrow."),
  QELx04: again(429, "Too many calls in ten minutes; wait a little.", 60_000),
  QELx05: again(429, "Too many calls in ten minutes; wait a little.", 60_000),
  QELx06: once(422, `Apply some filters and try again. ${EXPORT_HINT}`),
  QELx07: once(414, EXPORT_HINT),
  QELx08: once(413, `Narrow the request. ${EXPORT_HINT}`),
  QEAx01: once(400, "Check the API key passed to connect() or in ARROWBOOK_API_KEY."),
  QEAx02: once(422, "Check the login."),
  QEAx03: once(403, "This call needs an API key: pass apiKey to connect() or set ARROWBOOK_API_KEY."),
  QEAx05: once(401, "Check the API key passed to connect() or in ARROWBOOK_API_KEY."),
  QEAx06: once(429, "The daily limit of this key is used up; try again tomorrow."),
  QEAx07: again(202, "The service asks to try again in 30 seconds.", 30_000),
  QEPx01: once(401, "Pass an API key to connect() or set ARROWBOOK_API_KEY."),
  QEPx02: once(403, "This key may not read it; ask for access."),
  QEPx04: once(403, "Subscribe to the product, or use the key of a subscriber."),
  QEPx05: once(403, "Premium data needs the key of a subscriber."),
  QEPx06: once(403, "This key may not read one of the columns; select others."),
  QESx02: once(422, "Pass the missing parameter."),
  QESx03: once(422, "Correct the parameter."),
  QESx04: once(422, "Correct the parameter."),
  QESx05: once(406, "Request json, xml or csv."),
  QESx06: once(400, "The cursor is invalid or has expired; start again from the first page."),
  QESx07: once(422, "Use =, .gte, .lte, .gt or .lt."),
  QESx08: once(422, "Filter by one of the columns in the metadata's filters, and the rest locally."),
  QESx09: once(400, "Correct the parameter."),
  QECx01: once(400, "Check the address of the service: connect({ url }) takes its base address: see docs/client.md."),
  QECx02: once(404, "Check the code: DATABASE/DATASET for a series, VENDOR/TABLE for a table."),
  QECx03: once(404, "Check the code: DATABASE/DATASET for a series, VENDOR/TABLE for a table."),
  QECx04: once(404, "Check the code."),
  QECx05: once(422, "Check the code: it has two parts, such as DATABASE/DATASET."),
  QECx06: once(404, "This series is no longer offered."),
  QEMx01: again(500, `The service failed. If this persists: ${EXPORT_HINT}`),
  QEXx01: again(503, `The service took too long. If this persists: ${EXPORT_HINT}`),
  QEXx02: again(502, "The service could not be reached behind its gateway."),
  QEXx03: again(500, `The service failed. If this persists: ${EXPORT_HINT}`),
} satisfies Readonly<Record<string, ErrorMeaning>>;

/** A code that services report and that the embedded service sends. */
export type ServiceCode = keyof typeof ERROR_MEANINGS;

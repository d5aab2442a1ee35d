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

/** The error codes of services as observed. An error is classified by its code first, then by its status. */
export const ERROR_MEANINGS = {
  QELx01: {
    status: 429,
    retryable: false,
    hint: "The daily limit of calls without a key is used up; try again tomorrow or use a key.",
  },
  QELx02: { status: 429, retryable: false, hint: "The daily limit of this key is used up; try again tomorrow." },
  QELx03: { status: 429, retryable: false, hint: "The daily limit of this key is used up; try again tomorrow." },
  QELx04: { status: 429, retryable: true, after: 60_000, hint: "Too many calls in ten minutes; wait a little." },
  QELx05: { status: 429, retryable: true, after: 60_000, hint: "Too many calls in ten minutes; wait a little." },
  QELx06: { status: 422, retryable: false, hint: `Apply some filters and try again. ${EXPORT_HINT}` },
  QELx07: { status: 414, retryable: false, hint: EXPORT_HINT },
  QELx08: { status: 413, retryable: false, hint: `Narrow the request. ${EXPORT_HINT}` },
  QEAx01: { status: 400, retryable: false, hint: "Check the API key passed to connect() or in ARROWBOOK_API_KEY." },
  QEAx02: { status: 422, retryable: false, hint: "Check the login." },
  QEAx03: {
    status: 403,
    retryable: false,
    hint: "This call needs an API key: pass apiKey to connect() or set ARROWBOOK_API_KEY.",
  },
  QEAx05: { status: 401, retryable: false, hint: "Check the API key passed to connect() or in ARROWBOOK_API_KEY." },
  QEAx06: { status: 429, retryable: false, hint: "The daily limit of this key is used up; try again tomorrow." },
  QEAx07: { status: 202, retryable: true, after: 30_000, hint: "The service asks to try again in 30 seconds." },
  QEPx01: { status: 401, retryable: false, hint: "Pass an API key to connect() or set ARROWBOOK_API_KEY." },
  QEPx02: { status: 403, retryable: false, hint: "This key may not read it; ask for access." },
  QEPx04: { status: 403, retryable: false, hint: "Subscribe to the product, or use the key of a subscriber." },
  QEPx05: { status: 403, retryable: false, hint: "Premium data needs the key of a subscriber." },
  QEPx06: { status: 403, retryable: false, hint: "This key may not read one of the columns; select others." },
  QESx02: { status: 422, retryable: false, hint: "Pass the missing parameter." },
  QESx03: { status: 422, retryable: false, hint: "Correct the parameter." },
  QESx04: { status: 422, retryable: false, hint: "Correct the parameter." },
  QESx05: { status: 406, retryable: false, hint: "Request json, xml or csv." },
  QESx06: {
    status: 400,
    retryable: false,
    hint: "The cursor is invalid or has expired; start again from the first page.",
  },
  QESx07: { status: 422, retryable: false, hint: "Use =, .gte, .lte, .gt or .lt." },
  QESx08: {
    status: 422,
    retryable: false,
    hint: "Filter by one of the columns in the metadata's filters, and the rest locally.",
  },
  QESx09: { status: 400, retryable: false, hint: "Correct the parameter." },
  QECx01: {
    status: 400,
    retryable: false,
    hint: "Check the address of the service: connect({ url }) takes its base address: see docs/client.md.",
  },
  QECx02: {
    status: 404,
    retryable: false,
    hint: "Check the code: DATABASE/DATASET for a series, VENDOR/TABLE for a table.",
  },
  QECx03: {
    status: 404,
    retryable: false,
    hint: "Check the code: DATABASE/DATASET for a series, VENDOR/TABLE for a table.",
  },
  QECx04: { status: 404, retryable: false, hint: "Check the code." },
  QECx05: { status: 422, retryable: false, hint: "Check the code: it has two parts, such as DATABASE/DATASET." },
  QECx06: { status: 404, retryable: false, hint: "This series is no longer offered." },
  QEMx01: { status: 500, retryable: true, hint: `The service failed. If this persists: ${EXPORT_HINT}` },
  QEXx01: { status: 503, retryable: true, hint: `The service took too long. If this persists: ${EXPORT_HINT}` },
  QEXx02: { status: 502, retryable: true, hint: "The service could not be reached behind its gateway." },
  QEXx03: { status: 500, retryable: true, hint: `The service failed. If this persists: ${EXPORT_HINT}` },
} as const satisfies Readonly<Record<string, ErrorMeaning>>;

/** A code that services report and that the embedded service sends. */
export type ServiceCode = keyof typeof ERROR_MEANINGS;

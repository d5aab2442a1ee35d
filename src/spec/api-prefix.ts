/** The path prefix of every address (spec 9). */
export const API_PREFIX = "/api/v3";

/** Path of the list of all codes of an embedded service: no call of the specification, hence not below the prefix. */
export const CATALOG_PATH = "/catalog.json";

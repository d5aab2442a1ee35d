/** The names of `arrowbook` that every notebook can use without importing them. */
export const PACKAGE_NAMES = ["connect", "Frame", "display", "progress", "bulkFile"] as const;

/** The functions of `arrowbook/notebook` among those names. */
export const NOTEBOOK_NAMES = ["prompt", "confirm", "password", "sh", "timeit", "interact", "range"] as const;

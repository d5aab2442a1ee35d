/** The path that begins every address (spec 9). */
export const API_PREFIX = "/api/v3";

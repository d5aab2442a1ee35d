/** The key of the sample, subscribed to everything. */
export const SAMPLE_KEY = "sample";

export { type Fetch, type RecordOptions, record } from "./client/recordings/record.js";
export { replay } from "./client/recordings/replay.js";

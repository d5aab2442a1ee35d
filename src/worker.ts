import { parentPort } from "node:worker_threads";
import { type PartTask, readPart } from "./columns/csv-part.js";

// A thread that reads parts of CSV files; it loads neither Arrow nor anything else of the package.
parentPort?.on("message", (task: PartTask) => {
  const { result, transfer } = readPart(task);
  parentPort?.postMessage(result, transfer);
});

import { parentPort } from "node:worker_threads";
import { threadReader } from "./columns/workers/task.js";

// A thread that inflates archives or reads CSV; it loads neither Arrow nor anything else of the package.
const obey = threadReader((answer, transfer) => parentPort?.postMessage(answer, transfer));
parentPort?.on("message", obey);

import { parentPort } from "node:worker_threads";
import { threadReader } from "./columns/workers/task.js";

// A thread that inflates archives or parses CSV; it must not load Arrow or other parts of the package.
const handle = threadReader((answer, transfer) => parentPort?.postMessage(answer, transfer));
parentPort?.on("message", handle);

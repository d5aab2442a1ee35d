import { threadReader } from "./columns/workers/task.js";
import { parentThread } from "./platform/node/packages.js";

// A thread that inflates archives, or parses CSV or Parquet; it must not load Arrow or other parts of the package.
const page = parentThread();
const handle = threadReader((answer, transfer) => page?.postMessage(answer, transfer));
page?.on("message", handle);

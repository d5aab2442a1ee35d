import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The folder of collected cases beside the repository; it is not part of it. */
export const casesFolder = process.env["ARROWBOOK_CASES"] ?? resolve(root, "../shared/cases");

/** Whether the collected cases are here. */
export const haveCases = existsSync(casesFolder);

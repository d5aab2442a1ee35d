import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("..", import.meta.url));

/** The folder of the shared cases: beside the repository, or where `ARROWBOOK_CASES` points; it may be absent. */
export const casesFolder = process.env["ARROWBOOK_CASES"] ?? resolve(repository, "../shared/cases");

/** Whether the shared cases are here. */
export const haveCases = existsSync(casesFolder);

/** A file of the shared cases. */
export function cases(path: string): string {
  return resolve(casesFolder, path);
}

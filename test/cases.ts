import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("..", import.meta.url));

/** A file of the shared cases, which lie beside the repository or where `ARROWBOOK_CASES` says; it may not be there. */
export function cases(path: string): string {
  return resolve(process.env["ARROWBOOK_CASES"] ?? resolve(repository, "../shared/cases"), path);
}

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/**
 * A new folder in the system's folder for temporary files, removed after the tests of the file or group around it.
 */
export function temporaryFolder(name = "test"): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), `arrowbook-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

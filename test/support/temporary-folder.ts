import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const folders: string[] = [];
// Registered first, hence called last; a hook of a test or group would not be called for folders made within a test.
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A new folder in the system's folder for temporary files, removed once the tests of the file have run. */
export function temporaryFolder(name = "test"): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), `arrowbook-${name}-`));
  folders.push(folder);
  return folder;
}

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];

/** A new folder in the system's folder for temporary files, removed once the tests of the file have run. */
export function temporaryFolder(name = "test"): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), `arrowbook-${name}-`));
  folders.push(folder);
  return folder;
}

export function removeTemporaryFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtLibrary } from "./built-library.js";

/**
 * Builds the library with a module `killed.mjs` beside it: a script that imports it first is killed before the file
 * system is asked for the `KILLED_AT`-th time to make, rename or remove something. With `KILLED_IN_FILES`, writing to
 * an open file and syncing it are steps too, and a write is killed in its middle. Gives the folder.
 */
export async function killedLibrary(): Promise<string> {
  const library = await builtLibrary();
  writeFileSync(
    join(library, "killed.mjs"),
    `import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
const step = Number(process.env.KILLED_AT);
let steps = 0;
for (const name of ["mkdir", "mkdtemp", "open", "writeFile", "rename", "link", "rm", "unlink"]) {
  const asked = fs[name];
  fs[name] = (...given) => {
    if (++steps === step) process.kill(process.pid, "SIGKILL");
    return asked(...given);
  };
}
if (process.env.KILLED_IN_FILES) {
  const opened = fs.open;
  fs.open = async (...given) => {
    const file = await opened(...given);
    for (const name of ["write", "writeFile", "truncate", "sync", "datasync"]) {
      const asked = file[name].bind(file);
      file[name] = async (...how) => {
        if (++steps === step) {
          if (name === "write") await asked(how[0], how[1], how[2] >> 1, how[3]);
          process.kill(process.pid, "SIGKILL");
        }
        return asked(...how);
      };
    }
    return file;
  };
}
syncBuiltinESMExports();
`,
  );
  return library;
}

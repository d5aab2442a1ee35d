export { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
export { type FileHandle, open } from "node:fs/promises";
export { homedir } from "node:os";
export { extname, join } from "node:path";
export { fileURLToPath } from "node:url";

/** The code of the errors of a page, which has no disk, for all files. */
export const NO_DISK = "ERR_NO_DISK";

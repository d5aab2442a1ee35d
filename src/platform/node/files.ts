export { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
export { type FileHandle, open, readdir, readFile, stat } from "node:fs/promises";
export { homedir } from "node:os";
export { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
export { fileURLToPath } from "node:url";

/** The code of the errors of a page, which has no disk, for all files. */
export const NO_DISK = "ERR_NO_DISK";

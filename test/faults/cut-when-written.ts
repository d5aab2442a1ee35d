import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "./fault-server.js";

/**
 * Cuts a reply after `at` bytes, once a file of the folder has `size` bytes. A client may drop bytes that it has not
 * read when the connection breaks; by then it has written all of them.
 */
export function cutWhenWritten(folder: string, at: number, size = at): Pick<Step, "cutAt" | "cutWhen"> {
  const sizeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size;
  return { cutAt: at, cutWhen: () => readdirSync(folder).some((name) => sizeOf(name) === size) };
}

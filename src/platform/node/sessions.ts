import { packageRoot } from "../../package/package-root.js";
import { join, readFileSync } from "./files.js";

/** The sessions of exchanges, in raw deflate; test/clients/calendars.py makes and describes them. */
export const packedSessions = (): Uint8Array => readFileSync(join(packageRoot(), "dist", "sessions.bin"));

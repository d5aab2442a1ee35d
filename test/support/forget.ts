import { vi } from "vitest";
import { exportTimes } from "../../src/client/bulk/export-source.js";
import { limiters } from "../../src/client/transport/session.js";
import { knownSecrets } from "../../src/errors/secrets.js";

// Runs before each file of those that share a process. Keys of an earlier file may be text of this one, and the port
// of its service that of another service.
exportTimes.clear();
limiters.clear();
knownSecrets.clear();

// What a file has replaced, and not put back.
vi.useRealTimers();
vi.restoreAllMocks();
vi.unstubAllGlobals();
vi.unstubAllEnvs();

const BEFORE = Symbol.for("arrowbook.tests.before");
const shared = globalThis as { [BEFORE]?: { readonly folder: string; readonly env: NodeJS.ProcessEnv } };
shared[BEFORE] ??= { folder: process.cwd(), env: { ...process.env } };
const { folder, env } = shared[BEFORE];
process.chdir(folder);
process.exitCode = undefined;
for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
Object.assign(process.env, env);

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
const shared = globalThis as { [BEFORE]?: { folder: string; env: NodeJS.ProcessEnv; copy: NodeJS.ProcessEnv } };
shared[BEFORE] ??= { folder: process.cwd(), env: process.env, copy: { ...process.env } };
const { folder, env, copy } = shared[BEFORE];
process.chdir(folder);
process.exitCode = undefined;
// Another object would not reach what keeps this one, nor the clock: a time zone is set by this one alone.
process.env = env;
for (const name of Object.keys(env)) if (!(name in copy)) delete env[name];
Object.assign(env, copy);

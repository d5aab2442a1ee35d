import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { environment } from "../support/python-environment.mjs";

/** What a Python program ended with. */
export interface PythonRun {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the Python of the environment that requirements.txt describes; it is made on first use. */
export async function python(args: readonly string[], env: NodeJS.ProcessEnv, folder: string): Promise<PythonRun> {
  const program = join(environment(fileURLToPath(new URL(".", import.meta.url))), "python");
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, { env, cwd: folder, maxBuffer: 1 << 26 });
    return { status: 0, stdout, stderr };
  } catch (error) {
    const failed = error as { code?: unknown; stdout?: string; stderr?: string };
    return { status: Number(failed.code ?? 1), stdout: failed.stdout ?? "", stderr: failed.stderr ?? "" };
  }
}

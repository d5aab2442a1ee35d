import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

/** Debian's own Python, which its Jupyter packages belong to. */
const PYTHON = process.env["ARROWBOOK_PYTHON"] ?? "/usr/bin/python3";

const NEEDED: Readonly<Record<string, string>> = {
  nbconvert: "jupyter-nbconvert",
  nbclient: "python3-nbclient",
  jupyter_kernel_test: "python3-jupyter-kernel-test",
  notebook: "jupyter-notebook",
};

/** Throws, saying how to get it, when a package of Python's Jupyter is missing. */
export function needJupyter(): void {
  const missing = Object.keys(NEEDED).filter((name) => spawnSync(PYTHON, ["-c", `import ${name}`]).status !== 0);
  if (missing.length === 0) return;
  throw new Error(
    `${PYTHON} has no ${missing.join(", ")}. On Debian: apt-get update && apt-get install --no-install-recommends ` +
      `${missing.map((name) => NEEDED[name]).join(" ")}. Elsewhere: pip install ${missing.join(" ")}, and name that Python in ARROWBOOK_PYTHON.`,
  );
}

/** What a Python program ended with. */
export interface PythonRun {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Debian's Python with these arguments. */
export async function python(args: readonly string[], env: NodeJS.ProcessEnv, folder: string): Promise<PythonRun> {
  try {
    const { stdout, stderr } = await promisify(execFile)(PYTHON, args, { env, cwd: folder, maxBuffer: 1 << 26 });
    return { status: 0, stdout, stderr };
  } catch (error) {
    const failed = error as { code?: unknown; stdout?: string; stderr?: string };
    return { status: Number(failed.code ?? 1), stdout: failed.stdout ?? "", stderr: failed.stderr ?? "" };
  }
}

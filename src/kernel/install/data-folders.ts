import { homedir } from "node:os";
import { delimiter, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folder where Jupyter keeps one user's own data: `JUPYTER_DATA_DIR`, else the place the operating system gives.
 * Kernelspecs live in its `kernels` folder.
 */
export function userDataFolder(env: Environment = process.env, platform: string = process.platform): string {
  if (env["JUPYTER_DATA_DIR"]) return env["JUPYTER_DATA_DIR"];
  const home = env["HOME"] || homedir();
  if (platform === "darwin") return join(home, "Library", "Jupyter");
  if (platform === "win32") return join(env["APPDATA"] || join(home, "AppData", "Roaming"), "jupyter");
  return join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), "jupyter");
}

/** The prefix of the active Python environment (`VIRTUAL_ENV`, `CONDA_PREFIX`), or undefined outside of one. */
export function environmentPrefix(env: Environment = process.env): string | undefined {
  return env["VIRTUAL_ENV"] || env["CONDA_PREFIX"] || undefined;
}

/** Every folder that Jupyter searches for kernelspecs, first found first, as `jupyter --paths` lists them. */
export function dataFolders(env: Environment = process.env, platform: string = process.platform): string[] {
  const folders = (env["JUPYTER_PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const prefix = environmentPrefix(env);
  const ofPrefix = prefix === undefined ? [] : [join(prefix, "share", "jupyter")];
  const system =
    platform === "win32"
      ? [join(env["PROGRAMDATA"] ?? "C:\\ProgramData", "jupyter")]
      : ["/usr/local/share/jupyter", "/usr/share/jupyter"];
  return [...new Set([...folders, userDataFolder(env, platform), ...ofPrefix, ...system])];
}

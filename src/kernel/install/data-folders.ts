import { homedir } from "node:os";
import { delimiter, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folder of a user's Jupyter data: `JUPYTER_DATA_DIR`, or the default of the operating system. Kernelspecs are in
 * its `kernels` folder.
 */
export function userDataFolder(env: Environment = process.env, platform: string = process.platform): string {
  if (env["JUPYTER_DATA_DIR"]) return env["JUPYTER_DATA_DIR"];
  const home = env["HOME"] || homedir();
  if (platform === "darwin") return join(home, "Library", "Jupyter");
  if (platform === "win32") return join(env["APPDATA"] || join(home, "AppData", "Roaming"), "jupyter");
  return join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), "jupyter");
}

/** The prefix of the active Python environment (`VIRTUAL_ENV`, `CONDA_PREFIX`), if any. */
export function environmentPrefix(env: Environment = process.env): string | undefined {
  return env["VIRTUAL_ENV"] || env["CONDA_PREFIX"] || undefined;
}

/** All folders that Jupyter searches for kernelspecs, in search order, as `jupyter --paths` lists them. */
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

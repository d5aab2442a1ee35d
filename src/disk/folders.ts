import { homedir } from "node:os";
import { join } from "node:path";

/** The folder for state that outlives a process: ARROWBOOK_STATE, or the system's default. */
export function stateFolder(): string {
  const { ARROWBOOK_STATE: own, XDG_STATE_HOME, LOCALAPPDATA } = process.env;
  if (own) return own;
  if (process.platform === "win32" && LOCALAPPDATA) return join(LOCALAPPDATA, "arrowbook");
  return join(XDG_STATE_HOME || join(homedir(), ".local", "state"), "arrowbook");
}

// JupyterLab in a virtual environment of the tests, made from requirements.txt and kept until that file changes.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = join(here, ".venv");
const requirements = join(here, "requirements.txt");
const stamp = join(folder, "requirements.txt");

/** The folder of the environment's programs. */
export function environment() {
  const programs = join(folder, "bin");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === readFileSync(requirements, "utf8")) return programs;
  rmSync(folder, { recursive: true, force: true });
  const python =
    [process.env.ARROWBOOK_PYTHON, "/usr/bin/python3"].find((path) => path && existsSync(path)) ?? "python3";
  execFileSync(python, ["-m", "venv", folder], { stdio: "inherit" });
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements];
  execFileSync(join(programs, "python"), install, { stdio: "inherit" });
  mkdirSync(folder, { recursive: true });
  writeFileSync(stamp, readFileSync(requirements));
  return programs;
}

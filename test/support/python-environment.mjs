// Virtual environments of Python, made from requirements.txt and kept until that file changes.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The folder with the programs of the environment of a suite, in whose folder `home` requirements.txt is. */
export function environment(home) {
  const folder = join(home, ".venv");
  const requirements = join(home, "requirements.txt");
  const stamp = join(folder, "requirements.txt");
  const programs = join(folder, "bin");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === readFileSync(requirements, "utf8")) return programs;
  rmSync(folder, { recursive: true, force: true });
  const python =
    [process.env.ARROWBOOK_PYTHON, "/usr/bin/python3"].find((path) => path && existsSync(path)) ?? "python3";
  execFileSync(python, ["-m", "venv", folder], { stdio: "inherit" });
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements];
  execFileSync(join(programs, "python"), install, { stdio: "inherit" });
  writeFileSync(stamp, readFileSync(requirements));
  return programs;
}

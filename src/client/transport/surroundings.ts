import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileError } from "../../errors/file-error.js";
import type { Profile } from "../../spec/profile.js";

/** The key that is used if none is passed: ARROWBOOK_API_KEY, else where clients of the profile's service look. */
export function environmentKey({ surroundings }: Profile): string | undefined {
  const { env } = process;
  if (env["ARROWBOOK_API_KEY"]) return env["ARROWBOOK_API_KEY"];
  if (surroundings.value === null) return undefined;
  const { keyVariable, keyFile } = surroundings.value;
  return env[keyVariable] || firstLine(join(homedir(), keyFile));
}

/** The address that is used if none is passed: ARROWBOOK_URL, else that of the profile's service. */
export function environmentUrl({ surroundings }: Profile): string | undefined {
  const { env } = process;
  if (env["ARROWBOOK_URL"]) return env["ARROWBOOK_URL"];
  if (surroundings.value === null) return undefined;
  const { domainVariable, domain } = surroundings.value;
  return `https://${env[domainVariable] || domain}`;
}

/** The first line of a file that is not blank; undefined without the file or such a line. */
function firstLine(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .map((line) => line.trim())
      .find((line) => line !== "");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fileError(path, "read", error);
  }
}

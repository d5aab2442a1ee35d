import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = resolve(import.meta.dirname, "../../notebooks/data");

it("the script makes the committed files again, byte for byte", () => {
  const again = temporaryFolder("data");
  try {
    execFileSync(process.execPath, [join(folder, "make.mjs"), again]);
    const made = readdirSync(again).sort();
    expect(made).toEqual(
      readdirSync(folder)
        .filter((name) => name.endsWith(".csv"))
        .sort(),
    );
    for (const name of made) {
      expect(readFileSync(join(again, name)).equals(readFileSync(join(folder, name))), name).toBe(true);
    }
  } finally {
    rmSync(again, { recursive: true, force: true });
  }
});

it("the sample data stays under 6 MB", () => {
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(bytes).toBeLessThan(6_000_000);
});

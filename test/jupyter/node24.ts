import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The program of Node 24: `ARROWBOOK_NODE24`, else the npm package `node@24`, fetched once into the temporary folder.
 */
export function node24(): string {
  const given = process.env["ARROWBOOK_NODE24"];
  if (given !== undefined) return given;
  const folder = join(tmpdir(), "arrowbook-node24");
  const program = join(folder, "node_modules", "node", "bin", "node");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--prefix", folder, "node@24"], { stdio: "pipe" });
  } catch {}
  if (!existsSync(program)) {
    throw new Error("The npm package node@24 could not be installed; name a Node 24 in ARROWBOOK_NODE24.");
  }
  return program;
}

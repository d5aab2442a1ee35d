import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { atomicFile } from "../../disk/atomic-file.js";
import { FileError } from "../../errors/errors.js";
import { fileError, isSystemError } from "../../errors/file-error.js";
import type { CopyState } from "./copy.js";

/** One Parquet file of a mirror. */
export interface MirrorFile {
  /** Its name in the folder of its version. */
  readonly name: string;
  /** The value of its rows in the column of `by`; null for rows without one. Absent in a mirror of one file. */
  readonly value?: string | null;
  readonly rows: number;
  readonly bytes: number;
}

/** What `manifest.json` in a mirror's folder says: of what it is a copy, and which files are the copy. */
export interface Manifest extends CopyState {
  readonly format: 1;
  /** Number of the version; its folder is `v000001`, … */
  readonly version: number;
  readonly files: readonly MirrorFile[];
}

const MANIFEST = "manifest.json";
const CHECKED = "checked.json";

/** The folder of a version in the folder of a mirror. */
export function versionFolder(folder: string, version: number): string {
  return join(folder, `v${String(version).padStart(6, "0")}`);
}

/** The number of a version's folder by its name; undefined for any other name. */
export function versionOf(name: string): number | undefined {
  const match = /^v(\d{6,})$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/**
 * The manifest of a mirror; undefined if the folder has none.
 *
 * @throws {FileError} BadMirror if it is not the manifest of a mirror
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, MANIFEST);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isSystemError(error) && error.code === "ENOENT") return undefined;
    throw fileError(path, "read", error);
  });
  if (text === undefined) return undefined;
  const manifest = parsed(text);
  if (manifest !== undefined) return manifest;
  throw new FileError(`${path} is not the manifest of a mirror.`, {
    code: "BadMirror",
    hint: "Use another folder, or delete this one and mirror the table again.",
  });
}

/** Replaces the manifest in one step: from then on its version is the copy. */
export function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  return atomicFile(join(folder, MANIFEST), (file) => file.writeFile(`${JSON.stringify(manifest, null, 1)}\n`));
}

/** Notes when the service was last asked: the only file that changes if the table has not. */
export function writeChecked(folder: string, at: Date): Promise<void> {
  const text = `${JSON.stringify({ checked_at: at.toISOString() })}\n`;
  return atomicFile(join(folder, CHECKED), (file) => file.writeFile(text));
}

function parsed(text: string): Manifest | undefined {
  let value: Partial<Manifest> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || value.format !== 1) return undefined;
  const { code, question, version, columns, files } = value;
  if (typeof code !== "string" || typeof question !== "string" || !Number.isSafeInteger(version)) return undefined;
  return Array.isArray(columns) && Array.isArray(files) ? (value as Manifest) : undefined;
}

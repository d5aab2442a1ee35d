import { existsSync } from "node:fs";
import { readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { atomicFile } from "../../disk/atomic-file.js";
import { FileError } from "../../errors/errors.js";
import { fileError, isSystemError } from "../../errors/file-error.js";
import type { CopyState } from "./copy.js";

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
  /** The versions before it that may still be on the disk, with the names of their files. */
  readonly old?: readonly OldVersion[];
}

export interface OldVersion {
  readonly version: number;
  readonly files: readonly string[];
}

/** What `writing.json` says while a version is written: its folder belongs to the mirror. */
interface Writing {
  readonly mirror: string;
  readonly version: number;
}

const MANIFEST = "manifest.json";
const CHECKED = "checked.json";
const WRITING = "writing.json";
/** The names in the folder of a mirror before its first version begins, and those of files being written to them. */
const OWN = [MANIFEST, CHECKED, WRITING, "sync.lock"] as const;

export function versionFolder(folder: string, version: number): string {
  return join(folder, `v${String(version).padStart(6, "0")}`);
}

export function pathsOf(folder: string, { version, files }: Manifest): string[] {
  return files.map(({ name }) => join(versionFolder(folder, version), name));
}

/**
 * The manifest of a mirror; undefined if the folder is empty, or its first version is not complete.
 *
 * @throws {FileError} BadMirror if it is not the manifest of a mirror, or the folder holds other files
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, MANIFEST);
  const text = await textOf(path);
  if (text === undefined) return (await hasManifest(folder)) ? readManifest(folder) : undefined;
  const manifest = parsed(text);
  if (manifest !== undefined) return manifest;
  throw new FileError(`${path} is not the manifest of a mirror.`, {
    code: "BadMirror",
    hint: "Use another folder, or delete this one and mirror the table again.",
  });
}

/**
 * Whether the folder got a manifest since it was looked for.
 *
 * @throws {FileError} BadMirror if the folder holds files that no mirror wrote
 */
async function hasManifest(folder: string): Promise<boolean> {
  const names = (await unlessMissing(folder, readdir(folder))) ?? [];
  if (names.includes(MANIFEST)) return true;
  const [other] = names.filter((name) => !OWN.some((own) => name === own || name.startsWith(`${own}.`)));
  if (other === undefined || (await writingIn(folder)) !== undefined) return false;
  // Its first synchronisation has ended since.
  if (existsSync(join(folder, MANIFEST))) return true;
  throw new FileError(`${folder} is not empty and not a mirror: it holds ${JSON.stringify(other)}.`, {
    code: "BadMirror",
    hint: "Use a new or an empty folder.",
  });
}

/**
 * The number of the next version: the one that a killed process began, or the first whose folder does not exist. From
 * then on its folder belongs to the mirror.
 */
export async function beginVersion(folder: string, code: string, current: number): Promise<number> {
  const begun = (await writingIn(folder))?.version ?? 0;
  if (begun > current) return begun;
  let version = current + 1;
  while (existsSync(versionFolder(folder, version))) version++;
  await writeJSON(folder, WRITING, JSON.stringify({ mirror: code, version } satisfies Writing));
  return version;
}

/** Forgets a version that is current now, or of which nothing has been written. */
export async function endVersion(folder: string, current: number): Promise<void> {
  const begun = (await writingIn(folder))?.version;
  if (begun === undefined) return;
  if (begun > current) await rmdir(versionFolder(folder, begun)).catch(() => undefined);
  if (begun <= current || !existsSync(versionFolder(folder, begun))) await rm(join(folder, WRITING), { force: true });
}

/** Removes the files of a version, and its folder if no others are in it. */
export async function removeVersion(folder: string, { version, files }: OldVersion): Promise<void> {
  const place = versionFolder(folder, version);
  for (const name of files) await rm(join(place, name), { force: true });
  await rmdir(place).catch(() => undefined);
}

async function writingIn(folder: string): Promise<Writing | undefined> {
  const text = await textOf(join(folder, WRITING));
  try {
    const { mirror, version } = JSON.parse(text ?? "") as Partial<Writing>;
    return typeof mirror === "string" && Number.isSafeInteger(version)
      ? { mirror, version: Number(version) }
      : undefined;
  } catch {
    return undefined;
  }
}

const textOf = (path: string): Promise<string | undefined> => unlessMissing(path, readFile(path, "utf8"));

function unlessMissing<T>(path: string, read: Promise<T>): Promise<T | undefined> {
  return read.catch((error: unknown) => {
    if (isSystemError(error) && error.code === "ENOENT") return undefined;
    throw fileError(path, "read", error);
  });
}

/** Replaces the manifest in one step: from then on its version is the copy. */
export function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  return writeJSON(folder, MANIFEST, JSON.stringify(manifest, null, 1));
}

/** Notes when the service was last asked: the only file that changes if the table has not. */
export function writeChecked(folder: string, at: Date): Promise<void> {
  return writeJSON(folder, CHECKED, JSON.stringify({ checked_at: at.toISOString() }));
}

function writeJSON(folder: string, name: (typeof OWN)[number], text: string): Promise<void> {
  return atomicFile(join(folder, name), (file) => file.writeFile(`${text}\n`));
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

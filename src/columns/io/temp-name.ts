import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { crc32 } from "node:zlib";

/** What is written under a temporary name: a download that may be resumed, a file, or the note beside a file. */
export type TempKind = "download" | "file" | "note";

const ENDINGS = { download: "part", file: "tmp", note: "new" } as const satisfies Readonly<Record<TempKind, string>>;

/** What a temporary name says. */
export interface TempName {
  /** The name that the file gets when it is complete. */
  readonly target: string;
  readonly kind: TempKind;
  /** The machine that writes it, as eight hexadecimal digits. */
  readonly host: string;
  /** The process that writes it, on that machine. */
  readonly pid: number;
}

/** This machine in temporary names. */
export const HOST = crc32(hostname()).toString(16).padStart(8, "0");

/**
 * A temporary name beside `target` that no other process and no other call makes:
 * `data.csv.<machine>-<process>-<random>.tmp`. The only place that builds such names; {@link parseTempName} reads them.
 */
export function tempName(target: string, kind: TempKind): string {
  return `${target}.${HOST}-${process.pid}-${randomBytes(4).toString("hex")}.${ENDINGS[kind]}`;
}

const PATTERN = new RegExp(`^(.+)\\.([0-9a-f]{8})-(\\d+)-[0-9a-f]{8}\\.(${Object.values(ENDINGS).join("|")})$`, "s");

/** What a name or path of {@link tempName} says; undefined for any other. */
export function parseTempName(name: string): TempName | undefined {
  const match = PATTERN.exec(name);
  if (match === null) return undefined;
  const [, target, host, pid, ending] = match;
  const kind = (Object.keys(ENDINGS) as TempKind[]).find((each) => ENDINGS[each] === ending);
  return kind === undefined ? undefined : { target, kind, host, pid: Number(pid) };
}

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { builtin } from "../package/builtin.js";

/** What a temporary file holds: a resumable download, a file being written, or the note beside a file. */
export type TempKind = "download" | "file" | "note";

const ENDINGS = { download: "part", file: "tmp", note: "new" } as const satisfies Readonly<Record<TempKind, string>>;

/** The parts of a temporary name: the final name of the file, and the process that writes it on a machine. */
export type TempName = NonNullable<ReturnType<typeof parseTempName>>;

/** The PID namespace of a Linux machine outside of its containers. */
const OUTER = "pid:[4026531836]";
const BOOT = "/proc/sys/kernel/random/boot_id";

/** Where numbers of processes are unique: a machine, or a container, whose host name another one may have too. */
export function machineOf(host: string, namespace: string, boot: string): string {
  return namespace === "" || namespace === OUTER ? host : `${host} ${namespace} ${boot}`;
}

const textOf = (read: () => string): string => {
  try {
    return read().trim();
  } catch {
    // Only Linux has such files.
    return "";
  }
};

/** Changes whenever the system starts; empty where the system does not say. */
const bootId = (): string => textOf(() => readFileSync(BOOT, "latin1"));

let machine: string | undefined;

/** {@link machineOf} this process. */
export function thisMachine(): string {
  machine ??= machineOf(
    hostname(),
    textOf(() => readlinkSync("/proc/self/ns/pid")),
    bootId(),
  );
  return machine;
}

let digits: string | undefined;

/** This machine's part of temporary names: eight hexadecimal digits. */
export function hostDigits(): string {
  digits ??= builtin("node:zlib").crc32(thisMachine()).toString(16).padStart(8, "0");
  return digits;
}

/**
 * A unique temporary name beside `target`: `data.csv.<machine>-<process>-<random>.tmp`. The only place that builds such
 * names; {@link parseTempName} parses them.
 */
export function tempName(target: string, kind: TempKind): string {
  return `${target}.${hostDigits()}-${process.pid}-${builtin("node:crypto").randomBytes(4).toString("hex")}.${ENDINGS[kind]}`;
}

const PATTERN = new RegExp(`^(.+)\\.([0-9a-f]{8})-(\\d+)-[0-9a-f]{8}\\.(${Object.values(ENDINGS).join("|")})$`, "s");

/** Parses a name or path built by {@link tempName}; undefined for any other. */
export function parseTempName(name: string) {
  const match = PATTERN.exec(name);
  if (match === null) return undefined;
  const [, target, host, pid, ending] = match;
  const kind = (Object.keys(ENDINGS) as TempKind[]).find((each) => ENDINGS[each] === ending) as TempKind;
  return { target, kind, host, pid: Number(pid) };
}

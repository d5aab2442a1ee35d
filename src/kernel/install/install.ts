import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { access, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { InputError } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { environmentPrefix, userDataFolder } from "./data-folders.js";
import {
  installedKernels,
  launcherPath,
  NODE_FLAGS,
  OWN_KERNEL,
  ownKernelArgv,
  readKernelSpec,
  resolveTslab,
} from "./kernelspec.js";
import { LOGO_PNG, LOGO_SVG } from "./logo.js";

/** Where a kernelspec goes: the user's own folder unless said otherwise. */
export interface InstallPlace {
  /** Name of the kernelspec; default `arrowbook`. */
  readonly name?: string;
  /** Install below `<prefix>/share/jupyter`. */
  readonly prefix?: string;
  /** Install into the active Python environment (`VIRTUAL_ENV` or `CONDA_PREFIX`). */
  readonly sysPrefix?: boolean;
}

/** What {@link installKernel} takes. */
export interface InstallOptions extends InstallPlace {
  /** Path of a TypeScript file that every notebook starts with. */
  readonly prelude?: string;
  /** Check cells strictly. */
  readonly strict?: boolean;
  /** Resolve modules as bundlers do, so that packages with only `exports` have types. */
  readonly bundler?: boolean;
}

/** What {@link kernelStatus} found about one kernelspec. */
export interface KernelStatus {
  readonly name: string;
  readonly folder: string;
  readonly displayName: string;
  readonly argv: readonly string[];
  /** What keeps it from starting; empty when nothing does. */
  readonly problems: readonly string[];
}

const NAME = /^[a-z0-9._-]+$/i;

/**
 * Writes our kernelspec: absolute paths of this Node and of this package, so that neither PATH nor Python is needed.
 * Returns its folder.
 *
 * @throws {InputError} for a name Jupyter refuses, a prelude that is not there, or no environment
 */
export async function installKernel(options: InstallOptions = {}): Promise<string> {
  const folder = specFolder(options);
  const flags: string[] = [];
  if (options.prelude !== undefined) {
    const prelude = resolve(options.prelude);
    await access(prelude).catch((cause: unknown) =>
      Promise.reject(fileError(prelude, "read", cause, { what: "prelude" })),
    );
    flags.push("--prelude", prelude);
  }
  if (options.strict) flags.push("--strict");
  if (options.bundler) flags.push("--bundler");
  const name = options.name ?? OWN_KERNEL;
  const spec = {
    argv: ownKernelArgv(flags, NODE_FLAGS.filter(isKnownToNode)),
    display_name: name === OWN_KERNEL ? "TypeScript (arrowbook)" : `TypeScript (${name})`,
    language: "typescript",
    interrupt_mode: "message",
    metadata: { debugger: false },
  };
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "kernel.json"), `${JSON.stringify(spec, null, 2)}\n`);
    await writeFile(join(folder, "logo-svg.svg"), LOGO_SVG);
    for (const size of [32, 64] as const) {
      await writeFile(join(folder, `logo-${size}x${size}.png`), Buffer.from(LOGO_PNG[size], "base64"));
    }
  } catch (error) {
    throw fileError(folder, "write", error, {
      what: "kernelspec",
      hint: "Choose another place with --prefix, or leave it out to install for this user.",
    });
  }
  return folder;
}

/**
 * Removes a kernelspec of ours; false when there is none at that place.
 *
 * @throws {InputError} when it is not ours
 */
export async function uninstallKernel(place: InstallPlace = {}): Promise<boolean> {
  const folder = specFolder(place);
  if (!existsSync(join(folder, "kernel.json"))) return false;
  const spec = readKernelSpec(folder, place.name ?? OWN_KERNEL);
  if (spec !== undefined && !isOurs(spec.argv)) {
    throw new InputError(`The kernelspec ${folder} is not one of arrowbook.`, {
      code: "ForeignKernel",
      hint: `Remove it with: jupyter kernelspec remove ${place.name ?? OWN_KERNEL}`,
    });
  }
  await rm(folder, { recursive: true }).catch((error: unknown) =>
    Promise.reject(fileError(folder, "delete", error, { what: "kernelspec" })),
  );
  return true;
}

/** Every kernelspec of ours that Jupyter finds on this machine, with what is wrong with it. */
export function kernelStatus(): KernelStatus[] {
  const found: KernelStatus[] = [];
  for (const spec of installedKernels().values()) {
    if (!isOurs(spec.argv) || spec.folder === undefined) continue;
    const problems: string[] = [];
    const [node] = spec.argv;
    if (!existsSync(node)) problems.push(`its Node is gone: ${node}`);
    const launcher = spec.argv.find(isLauncher);
    if (launcher !== undefined && !existsSync(launcher)) problems.push(`its package is gone: ${launcher}`);
    const prelude = spec.argv[spec.argv.indexOf("--prelude") + 1];
    if (spec.argv.includes("--prelude") && !existsSync(prelude)) problems.push(`its prelude is gone: ${prelude}`);
    if (resolveTslab(process.cwd()) === undefined) {
      problems.push("the package tslab is not installed (npm install tslab@1.0.22)");
    }
    found.push({ name: spec.name, folder: spec.folder, displayName: spec.displayName, argv: spec.argv, problems });
  }
  return found;
}

/** Whether this package runs from a cache that may be emptied, as under `npx`. */
export function isTemporary(): boolean {
  return /[\\/]_npx[\\/]/.test(launcherPath());
}

function specFolder(place: InstallPlace): string {
  const name = place.name ?? OWN_KERNEL;
  if (!NAME.test(name)) {
    throw new InputError(`A kernel cannot be named ${JSON.stringify(name)}.`, {
      code: "BadArgument",
      hint: "Use letters, digits, dots, hyphens and underscores.",
    });
  }
  return join(dataFolder(place), "kernels", name.toLowerCase());
}

function dataFolder(place: InstallPlace): string {
  if (place.prefix !== undefined) return join(resolve(place.prefix), "share", "jupyter");
  if (!place.sysPrefix) return userDataFolder();
  const prefix = environmentPrefix();
  if (prefix === undefined) {
    throw new InputError("No Python environment is active.", {
      code: "NoEnvironment",
      hint: "Activate one, or name its folder: --prefix /path/to/env",
    });
  }
  return join(prefix, "share", "jupyter");
}

/** A Node that does not know a flag would not start. */
function isKnownToNode(flag: string): boolean {
  return spawnSync(process.execPath, [flag, "--version"]).status === 0;
}

function isLauncher(part: string): boolean {
  return /[\\/]dist[\\/]cjs[\\/]launcher\.js$/.test(part);
}

function isOurs(argv: readonly string[]): boolean {
  return argv.some(isLauncher);
}

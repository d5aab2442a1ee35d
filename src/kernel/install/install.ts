import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { access, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
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

/** The location of a kernelspec; by default the user's folder. */
export interface InstallPlace {
  /** Name of the kernelspec; default `arrowbook`. */
  readonly name?: string;
  /** Install below `<prefix>/share/jupyter`. */
  readonly prefix?: string;
  /** Install into the active Python environment (`VIRTUAL_ENV` or `CONDA_PREFIX`). */
  readonly sysPrefix?: boolean;
}

/** Options of {@link installKernel}. */
export interface InstallOptions extends InstallPlace {
  /** Replace a kernelspec of this name that starts another installation of this package, or another program. */
  readonly force?: boolean;
  /** Path of a TypeScript file that runs at the start of every notebook. */
  readonly prelude?: string;
  /** Type-check cells with `strict`. */
  readonly strict?: boolean;
  /** Resolve modules as bundlers do, so that packages with only `exports` have types. */
  readonly bundler?: boolean;
}

/** The state of one installed kernelspec. */
export interface KernelStatus {
  readonly name: string;
  readonly folder: string;
  readonly displayName: string;
  readonly argv: readonly string[];
  /** Problems that keep it from starting, if any. */
  readonly problems: readonly string[];
}

const NAME = /^[a-z0-9._-]+$/i;

/**
 * Writes arrowbook's kernelspec with absolute paths of this Node and of this package, so that neither PATH nor Python
 * is needed. Returns its folder.
 *
 * @throws {InputError} BadArgument for an invalid name, NoEnvironment, MissingPackage without tslab, ForeignKernel if
 *   the name belongs to another project or program
 * @throws {FileError} FileNotFound for a missing prelude
 */
export async function installKernel(options: InstallOptions = {}): Promise<string> {
  const folder = specFolder(options);
  if (resolveTslab(process.cwd()) === undefined) {
    throw new InputError("The kernel requires the package tslab, which is not installed.", {
      code: "MissingPackage",
      hint: "Run npm install tslab@1.0.22 here, then install the kernel again.",
    });
  }
  if (!options.force) refuseToReplace(folder, options.name ?? OWN_KERNEL);
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
      hint: "Pass another folder with --prefix, or omit it to install for this user.",
    });
  }
  return folder;
}

/**
 * Removes a kernelspec of arrowbook; returns false if there is none.
 *
 * @throws {InputError} ForeignKernel if it belongs to another program
 */
export async function uninstallKernel(place: InstallPlace = {}): Promise<boolean> {
  const folder = specFolder(place);
  if (!existsSync(join(folder, "kernel.json"))) return false;
  const spec = readKernelSpec(folder, place.name ?? OWN_KERNEL);
  if (spec !== undefined && !isOurs(spec.argv)) {
    throw new InputError(`The kernelspec ${folder} does not belong to arrowbook.`, {
      code: "ForeignKernel",
      hint: `Remove it with: jupyter kernelspec remove ${place.name ?? OWN_KERNEL}`,
    });
  }
  await rm(folder, { recursive: true }).catch((error: unknown) =>
    Promise.reject(fileError(folder, "delete", error, { what: "kernelspec" })),
  );
  return true;
}

/** All kernelspecs of arrowbook that Jupyter finds on this machine, with their problems. */
export function kernelStatus(): KernelStatus[] {
  const found: KernelStatus[] = [];
  for (const spec of installedKernels().values()) {
    if (!isOurs(spec.argv) || spec.folder === undefined) continue;
    const problems: string[] = [];
    const [node] = spec.argv;
    if (!existsSync(node)) problems.push(`Node not found: ${node}`);
    const launcher = spec.argv.find(isLauncher);
    if (launcher !== undefined && !existsSync(launcher)) problems.push(`package not found: ${launcher}`);
    const prelude = spec.argv[spec.argv.indexOf("--prelude") + 1];
    if (spec.argv.includes("--prelude") && !existsSync(prelude)) problems.push(`prelude not found: ${prelude}`);
    if (resolveTslab(process.cwd()) === undefined) {
      problems.push("the package tslab is not installed (npm install tslab@1.0.22)");
    }
    found.push({ name: spec.name, folder: spec.folder, displayName: spec.displayName, argv: spec.argv, problems });
  }
  return found;
}

/** Refuses to replace the kernel of another project, whose notebooks would run with other packages from then on. */
function refuseToReplace(folder: string, name: string): void {
  const spec = readKernelSpec(folder, name);
  const launcher = spec?.argv.find(isLauncher);
  if (spec === undefined || launcher === launcherPath() || (launcher !== undefined && !existsSync(launcher))) return;
  const owner = launcher === undefined ? "another program" : dirname(dirname(dirname(launcher)));
  throw new InputError(`The kernel ${JSON.stringify(name)} is installed already, from ${owner}.`, {
    code: "ForeignKernel",
    hint: "Pass --name to add a kernel for this project, or --force to replace that one.",
  });
}

/** Whether this package runs from a temporary cache, as under `npx`. */
export function isTemporary(): boolean {
  return /[\\/]_npx[\\/]/.test(launcherPath());
}

function specFolder(place: InstallPlace): string {
  const name = place.name ?? OWN_KERNEL;
  if (!NAME.test(name)) {
    throw new InputError(`${JSON.stringify(name)} is not a valid kernel name.`, {
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
      hint: "Activate one, or pass its folder: --prefix /path/to/env",
    });
  }
  return join(prefix, "share", "jupyter");
}

/** Node does not start with an unknown flag. */
function isKnownToNode(flag: string): boolean {
  return spawnSync(process.execPath, [flag, "--version"]).status === 0;
}

function isLauncher(part: string): boolean {
  return /[\\/]dist[\\/]cjs[\\/]launcher\.js$/.test(part);
}

function isOurs(argv: readonly string[]): boolean {
  return argv.some(isLauncher);
}

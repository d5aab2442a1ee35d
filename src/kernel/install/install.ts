import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { access, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { InputError } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { findTypeScript } from "./installed-typescript.js";
import {
  environmentPrefix,
  findKernel,
  installedKernels,
  type KernelSpec,
  launcherPath,
  NODE_FLAGS,
  OWN_KERNEL,
  ownKernelArgv,
  readKernelSpec,
  userDataFolder,
} from "./kernelspec.js";

/** The location of a kernelspec; by default the user's folder. */
export interface InstallPlace {
  /** Name of the kernelspec; default `arrowbook`. */
  readonly name?: string;
  /** Install below `<prefix>/share/jupyter`. */
  readonly prefix?: string;
  /** Install into the active Python environment (`VIRTUAL_ENV` or `CONDA_PREFIX`). */
  readonly sysPrefix?: boolean;
}

export interface InstallOptions extends InstallPlace {
  /** Install the kernel of stock tslab, by default as `tslab`; options of arrowbook's kernel do not apply. */
  readonly stock?: boolean;
  /** Replace a kernelspec of this name that starts another installation of this package, or another program. */
  readonly force?: boolean;
  /** Path of a TypeScript file that runs at the start of every notebook. */
  readonly prelude?: string;
  /** Type-check cells with `strict`. */
  readonly strict?: boolean;
}

export interface KernelStatus extends Pick<KernelSpec, "name" | "displayName" | "argv"> {
  readonly folder: string;
  /** Problems that keep it from starting, if any. */
  readonly problems: readonly string[];
}

const STOCK_KERNEL = "tslab";
const NAME = /^[a-z0-9._-]+$/i;

/**
 * Writes arrowbook's kernelspec with absolute paths of this Node and of this package, so that neither PATH nor Python
 * is needed. Returns its folder.
 *
 * @throws {InputError} BadArgument for an invalid name, NoEnvironment, MissingPackage without the package
 *   typescript, ForeignKernel if
 *   the name belongs to another project or program
 * @throws {FileError} FileNotFound for a missing prelude
 */
export async function installKernel(options: InstallOptions = {}): Promise<string> {
  const { stock = false, name = stock ? STOCK_KERNEL : OWN_KERNEL } = options;
  const folder = specFolder({ ...options, name });
  if (!stock) findTypeScript(process.cwd());
  if (!options.force) refuseToReplace(folder, name);
  const flags: string[] = [];
  if (options.prelude !== undefined) {
    const prelude = resolve(options.prelude);
    await access(prelude).catch((cause: unknown) =>
      Promise.reject(fileError(prelude, "read", cause, { what: "prelude" })),
    );
    flags.push("--prelude", prelude);
  }
  if (options.strict) flags.push("--strict");
  const spec = {
    argv: stock ? findKernel(STOCK_KERNEL).argv : ownKernelArgv(flags, NODE_FLAGS.filter(isKnownToNode)),
    display_name: name === OWN_KERNEL ? "TypeScript (arrowbook)" : `TypeScript (${name})`,
    language: "typescript",
    interrupt_mode: stock ? "signal" : "message",
    ...(stock ? {} : { kernel_protocol_version: "5.5" }),
    metadata: { debugger: !stock },
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
    found.push({ name: spec.name, folder: spec.folder, displayName: spec.displayName, argv: spec.argv, problems });
  }
  return found;
}

/** Refuses to replace the kernel of another project, whose notebooks would run with other packages from then on. */
function refuseToReplace(folder: string, name: string): void {
  const spec = readKernelSpec(folder, name);
  const launcher = spec?.argv.find(isLauncher);
  if (
    spec === undefined ||
    spec.argv.some(isStock) ||
    launcher === launcherPath() ||
    (launcher !== undefined && !existsSync(launcher))
  )
    return;
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
  return /[\\/]dist[\\/](?:cjs|esm)[\\/]launcher\.js$/.test(part);
}

/** The program of stock tslab by its path, as only this package's kernelspecs have it. */
function isStock(part: string): boolean {
  return /[\\/]tslab[\\/]bin[\\/]tslab$/.test(part);
}

function isOurs(argv: readonly string[]): boolean {
  return argv.some((part) => isLauncher(part) || isStock(part));
}

/** The logo that launchers show for the kernel. */
const LOGO_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="12" fill="#2457a6"/><g fill="#fff"><rect x="12" y="36" width="8" height="16" rx="2"/><rect x="24" y="28" width="8" height="24" rx="2"/><rect x="36" y="32" width="8" height="20" rx="2" opacity=".75"/></g><path d="M12 24 28 14l10 7 12-9m0 0v9m0-9h-9" fill="none" stroke="#ffd166" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>\n';

/** {@link LOGO_SVG} at 32 and 64 pixels, PNG in base64; made with `@resvg/resvg-js`. */
const LOGO_PNG: Readonly<Record<32 | 64, string>> = {
  32: "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAACZ0lEQVR4nO2XX0hTURzHvyeElFotCPQh2h42MaFaUPYUGCkIRdIfsEngIqinwrfJhB4iZT4lBUVBYBCzXgqth8Aioaekhy0ixQk58WFCoLlCA9n6/u7tuqxddPPuDsQP3HN+v8Pl/L7nd+453J/CX1T7I23pNAJAxgcoJyyGwaJqC3rH+1sf09VQfOALvHD+XFh4l6FJt+gwaHRbRcXxaN+ZOWV3cAMREX/Wekh5/JF2pHGbY7ajlLqkvC2Rr1y9GyVAMQvK0xJhfGtorP6Ge+c/01rJl5ntaH50mNb/5C3gqGsO4ZNjmP9Vho5XNRjl5AZmAgRvdz1ysWYBO8qXEGqYwLkDSXpZ7rx34y4fA7P31iXg7P4kOhsntMkFCSh225FpesCHhFPLhoNj4VNjqK38gRQzdGvIgx76QkEC9uxc1CaUtAsjU04EX9Zg+ns5PX077jPljq1LmF8s4wg0YbItQQqSPh4ahpC3gGvHJnGdj2Cs5vmnKnorkYCyygbuvyDvdL3xLAsqSMDA5Y9aGoV/JzRDPkBhaHw32yxm4wY5BQxSgKxM0ij7W0xyCrCTvAUMhJtQ695FixfM5CyaO17TKpy8BcSf+tlm8V7oZ1s4lgnoulIHV5WDFpBIptD5cITW6lgm4MmNE2yzXLz5lu3qmAow22vbBJgFMhvfFLApYOMJGOxpwj6XfgxHE7M4HdSPodl499U67K3UL6KpmRRCD4p0EVmN/JZHqeAgbdvhb3ms9IUJe5QiCwwcY2nmY8+iUK8Ph+0SwaAxFqf1WnFKfxkeqQAymfZiCWGwGPPey6Pchz/8BpixUduRHgfiAAAAAElFTkSuQmCC",
  64: "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAYAAACqaXHeAAAEv0lEQVR4nO2bb2gbZRzHf08aXKfORuhUWMAIyVjL0KpoRSpG3N45O63QPwjLXkknHVVfdFTQKSrrC52uYBmCZqBJEf+003ebtGCVduLsZLRlHRilA3UFU52sgzTPvr/brkkvd+kdS5vL3X0gd8+PXo97Ps/v+d3lzyOoCNvakqElmW2WJKI4sEEShagCEESTuNaUIDlaJXzDM4PtKTIAxxaidJzodSlljByAECJeRfSGnogCAZG2ZEzK7GH8KYDQQci0zyf2nkt2DCFYZoWAa52Xn6DpWJANe2cH2+N0nWUBbui8is9Hz6iZoAiIdHzeIJcyv6DpEmTaL3z3c01QBIRbEyPYRclFCEHHZgc7YiLcloySlCzAdfiFuEdE2hJxKWkPYvfho5dEuPWzf5AQAYQuRAxDQEKiZUsa707Thy1n6bbqDKLi/Lvop7dPhumrX+9CZA4UwElbC/j55TFTnVdhCQ++14SWedZNwJ6H5mj/YylijnwfomM/BdEqzulXxmjThgxa5om8EyUrrLmAujsv0aGnZqge+3xOnKulA99uU0bNCJ4CA8+dtSTBNgI4dbuaUhR7eA6RPtx5lsAyVoPP17vjPLXc+yciY2whYOfWeeVig4FFRKsTPxWk/rGQIkQPoyzSo6wCgjWL1LvzvCJAj5MY6S04hjukZS5dTfu+3E7Tf92KKMezGPFXIZMzIJ//rvjprRNh6oOYfMomQC1y2gtlLixUUw9SfeL3a48bfFwXXnpwgezHi8/DWaSX8iyJz8f72d5RymfdBfBoFktP7kwcFV+b3vx/XOA4I7RMoWOM3jn5Ps/3e/V8ZRPAI1SsyJ36I6CkKI+SEXwOzgbOntVQU54F5FMWATzHOT31ihxfKKcxFzaz8Pn6ds0Y3u5YopryWtZVgJkixxeqpqcVOBu4oO3QnJtHPD/lteQ/LLH8B95tQss8pgUYVWNGW+RuBJ5SPC0YvZTXoj4sMZ1fbLd8DaYFjOwb1015oyJXKZgWMPri+IqKbabIVQKmBfAU4NTkKWC1yNkZ0wKciidgrQU01t9BhzobKbh5Za2Yu3iJDgxM0MTU34jKx5oLGOnfVdB5FZbwRNc3aJWPNReAr6GwNQbfSGFbPjwBdhNQF7qdXni6jmoDGxHlmE9fpqPHp2k6hU/xS4jtBLy//9GCzquwhO4jP6JVOmwn4NPXnsTWmOff/A7b0uEJsCrA6n3dcQKs3tcdJ8Bqh6we7wnwBHgCsDXGE+AJ8ARgWzo8AZ4AT4AnwBOAvWlOf9xCm26+Ca1CLlz8n6Jdx9HKYfX4j3oep40b9L9mm19YpO4PfkCrdFgWwG+H+zofoS2bb0GUgzvTMzBe8HbY6vHKR2LN9VRbU40oB3f+6PBU5X0kZndEpDXBC4zuQ9t1CKIzyIDkEJFsRuxC+MfS7YluytJhRO6Dfy7PS+QyUv6G0HUoCyawx73YfYsmhLpkBm1loSSyYBLNGrzcwAJGv2F50RSztT2xO5ulr9F0PAXL5lTwWBpz+tpBw4WTKtczIU7Omw4LGPmYOvIqBQIYrglLJA86pTBywasicZDnPGnQFaDCIjJC7qasiAqSIVkhT4zo1BlJIkU+OeqXYkiv4ypXAdY54NpQDuKiAAAAAElFTkSuQmCC",
};

import { Command } from "commander";
import type { InstallOptions } from "../kernel/install/install.js";

/** `arrowbook kernel`: installs, removes and examines our Jupyter kernel. */
export function kernelCommand(): Command {
  const kernel = new Command("kernel").description("install, remove and examine the TypeScript kernel for Jupyter");
  const place = (command: Command): Command =>
    command
      .option("--name <name>", "name of the kernelspec", "arrowbook")
      .option("--user", "for this user (the default)")
      .option("--sys-prefix", "into the active Python environment")
      .option("--prefix <folder>", "below <folder>/share/jupyter");
  place(kernel.command("install"))
    .description("write the kernelspec, so that Jupyter, VS Code and others list the kernel")
    .option("--prelude <file>", "a TypeScript file that every notebook starts with")
    .option("--strict", "check cells strictly")
    .option("--bundler", 'resolve modules as bundlers do, for packages that have only "exports"')
    .action(install);
  place(kernel.command("uninstall")).description("remove the kernelspec").action(uninstall);
  kernel
    .command("status")
    .description("list the kernelspecs of this package and what is wrong with them")
    .option("--json", "print for machines")
    .action(status);
  return kernel;
}

async function install(flags: InstallOptions): Promise<void> {
  const { installKernel, isTemporary } = await import("../kernel/install/install.js");
  const folder = await installKernel(flags);
  console.error(`installed the kernel "${flags.name}" in ${folder}`);
  if (isTemporary()) {
    console.error("note: this package runs from npx's cache, which may be emptied; install it and run this again");
  }
}

async function uninstall(flags: InstallOptions): Promise<void> {
  const { uninstallKernel } = await import("../kernel/install/install.js");
  if (await uninstallKernel(flags)) console.error(`removed the kernel "${flags.name}"`);
  else {
    console.error(`there is no kernel "${flags.name}" at that place`);
    process.exitCode = 1;
  }
}

async function status(flags: { readonly json?: boolean }): Promise<void> {
  const { kernelStatus } = await import("../kernel/install/install.js");
  const found = kernelStatus();
  if (flags.json) console.log(JSON.stringify(found));
  else if (found.length === 0) console.log("no kernel is installed; install it with: arrowbook kernel install");
  else {
    for (const { name, displayName, folder, problems } of found) {
      console.log(`${name}  ${displayName}  ${folder}  ${problems.length === 0 ? "ok" : problems.join("; ")}`);
    }
  }
  if (found.length === 0 || found.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}

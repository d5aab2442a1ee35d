import { basename } from "node:path";
import { Command } from "commander";
import type { InstallOptions } from "../../kernel/install/install.js";
import { type ServiceFlags, serving, withService } from "../input/service-flags.js";
import { tableDeclarations } from "./types.js";

/** `arrowbook kernel`: installs, removes and lists the Jupyter kernel. */
export function kernelCommand(): Command {
  const kernel = new Command("kernel").description("install, remove and check the TypeScript kernel for Jupyter");
  const place = (command: Command): Command =>
    command
      .option("--name <name>", "name of the kernelspec (default: arrowbook)")
      .option("--user", "for this user (the default)")
      .option("--sys-prefix", "into the active Python environment")
      .option("--prefix <folder>", "below <folder>/share/jupyter");
  place(kernel.command("install"))
    .description("write the kernelspec, so that Jupyter, VS Code and others list the kernel")
    .option("--prelude <file>", "a TypeScript file that runs at the start of every notebook")
    .option("--force", "replace a kernel of this name that belongs to another project")
    .option("--strict", "type-check cells with strict")
    .option("--stock", "the kernel of stock tslab, as tslab")
    .action(install);
  place(kernel.command("uninstall")).description("remove the kernelspec").action(uninstall);
  kernel
    .command("status")
    .description("list the kernelspecs of this package and their problems")
    .option("--json", "print JSON")
    .action(status);
  withService(kernel.command("types"))
    .description("write declarations for editors: the names that notebooks have without imports, and tables")
    .argument("[codes...]", "VENDOR/TABLE")
    .option("--folder <folder>", "where to write", ".")
    .action(types);
  return kernel;
}

async function types(codes: readonly string[], flags: ServiceFlags & { readonly folder: string }): Promise<void> {
  const { writeEditorTypes } = await import("../../kernel/install/editor-types.js");
  const hasAddress = flags.sample !== true && (flags.url ?? process.env["ARROWBOOK_URL"] ?? "") !== "";
  const write = async (tables?: string): Promise<void> => {
    const written = await writeEditorTypes(flags.folder, { tables, hasAddress });
    if (flags.json) console.log(JSON.stringify({ written }));
    else for (const path of written) console.error(`wrote ${path}`);
  };
  if (codes.length === 0) return write();
  await serving(flags, "Nothing was written.", async (service) => {
    const known = await Promise.all(codes.map((code) => service.table(code).metadata()));
    await write(tableDeclarations(known));
  });
}

async function install(flags: InstallOptions): Promise<void> {
  const { installKernel, isTemporary } = await import("../../kernel/install/install.js");
  const folder = await installKernel(flags);
  console.error(`installed the kernel "${basename(folder)}" in ${folder}`);
  if (isTemporary()) {
    console.error("note: this package runs from npx's temporary cache; install it and run this command again");
  }
}

async function uninstall(flags: InstallOptions): Promise<void> {
  const { uninstallKernel } = await import("../../kernel/install/install.js");
  if (await uninstallKernel(flags)) console.error(`removed the kernel "${flags.name ?? "arrowbook"}"`);
  else {
    console.error(`there is no kernel "${flags.name ?? "arrowbook"}" in that folder`);
    process.exitCode = 1;
  }
}

async function status(flags: { readonly json?: boolean }): Promise<void> {
  const { kernelStatus } = await import("../../kernel/install/install.js");
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

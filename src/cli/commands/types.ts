import { Command } from "commander";
import { examples, type ServiceFlags, serving, withService } from "../input/service-flags.js";
import { tableDeclarations } from "../output/table-declarations.js";

/**
 * `arrowbook types VENDOR/TABLE …`: prints TypeScript declarations of tables, so that a misspelt column is a compile
 * error.
 */
export function typesCommand(): Command {
  return examples(withService(new Command("types")), "arrowbook types MARKET/PRICES --sample")
    .description("print TypeScript declarations of tables, to be saved as a .d.ts file of the project")
    .argument("<codes...>", "VENDOR/TABLE")
    .action((codes: string[], flags: ServiceFlags) =>
      serving(flags, "Nothing was written.", async (service) => {
        const known = await Promise.all(codes.map((code) => service.table(code).metadata()));
        process.stdout.write(flags.json ? `${JSON.stringify(known)}\n` : tableDeclarations(known));
      }),
    );
}

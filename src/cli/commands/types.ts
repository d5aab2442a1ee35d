import { Command } from "commander";
import { cellType, memberName } from "../../columns/arrow/row-type.js";
import type { TableMetadata } from "../../document/records.js";
import { examples, type ServiceFlags, serving, withService } from "../input/service-flags.js";

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

/** One interface per table, and its entry in `Tables`, from which `service.table(code)` takes the row type. */
export function tableDeclarations(tables: readonly TableMetadata[]): string {
  const names = distinct(tables.map(({ vendor_code, datatable_code }) => pascal(`${vendor_code} ${datatable_code}`)));
  const interfaces = tables.map((table, i) => interfaceOf(names[i], table));
  const places = tables.map(
    ({ vendor_code, datatable_code }, i) => `    ${JSON.stringify(`${vendor_code}/${datatable_code}`)}: ${names[i]};\n`,
  );
  return `${interfaces.join("\n")}\ndeclare module "arrowbook" {\n  interface Tables {\n${places.join("")}  }\n}\n`;
}

function interfaceOf(name: string, { name: title, columns, primary_key }: TableMetadata): string {
  const lines = columns.map(({ name: column, type }) => {
    const key = primary_key.includes(column) ? ", part of the key" : "";
    return `  /** ${comment(type)}${key} */\n  ${memberName(column)}: ${cellType(type)};\n`;
  });
  return `/** ${comment(title)} */\nexport interface ${name} {\n${lines.join("")}}\n`;
}

const comment = (text: string): string => text.replaceAll("*/", "* /").replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");

function pascal(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const joined = words.map((word) => word[0].toUpperCase() + word.slice(1).toLowerCase()).join("");
  return /^[A-Za-z]/.test(joined) ? joined : `Table${joined}`;
}

function distinct(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let n = 2; used.has(free); n++) free = `${name}${n}`;
    used.add(free);
    return free;
  });
}

import type { Argument, Command, Option } from "commander";
import { localEndings } from "../input/local-tables.js";
import { ListedOption } from "../input/service-flags.js";
import type { CodeKind, Lookup } from "./lookup.js";

interface Candidate {
  readonly value: string;
  readonly about?: string;
}

/** What completes the last argument of a command line. */
export interface Completions {
  readonly candidates: readonly Candidate[];
  /** Names of files fit too. */
  readonly files: boolean;
  /** The argument may continue after a candidate: no space follows it. */
  readonly open: boolean;
}

/** A command line, read by the commands of the program. */
interface Line {
  readonly command: Command;
  /** The command's arguments before the last one of the line. */
  readonly values: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
  /** The option whose value comes last. */
  readonly waiting: Option | undefined;
  /** After `--`, what begins with a dash is not a flag. */
  readonly onlyValues: boolean;
}

const NOTHING: Completions = { candidates: [], files: false, open: false };
const FILES: Completions = { ...NOTHING, files: true };

const of = (values: readonly string[], open = false): Completions => ({
  candidates: values.map((value) => ({ value })),
  files: false,
  open,
});

/**
 * Completes the last argument after the name of the program, which may be empty: subcommands, flags, values of flags,
 * files, and codes and columns as far as `lookup` finds them.
 */
export async function complete(program: Command, words: readonly string[], lookup: Lookup): Promise<Completions> {
  const last = words.at(-1) ?? "";
  const line = readLine(program, words.slice(0, -1));
  const { candidates, ...rest } = await fitting(line, last, lookup);
  return { candidates: candidates.filter(({ value }) => value.startsWith(last)), ...rest };
}

async function fitting(line: Line, last: string, lookup: Lookup): Promise<Completions> {
  const { command, values, waiting, onlyValues } = line;
  if (waiting !== undefined) return valuesOf(waiting, last, line, lookup);
  const long = onlyValues ? null : /^(--[\w-]+)=(.*)$/s.exec(last);
  if (long !== null) {
    const option = optionOf(command, long[1]);
    if (option === undefined) return NOTHING;
    const { candidates, ...rest } = await valuesOf(option, long[2], line, lookup);
    return { candidates: candidates.map(({ value, about }) => ({ value: `${long[1]}=${value}`, about })), ...rest };
  }
  if (last.startsWith("-") && !onlyValues) return flagsOf(line);
  const subcommands = values.length > 0 ? [] : command.createHelp().visibleCommands(command);
  if (subcommands.length > 0) {
    return {
      ...NOTHING,
      candidates: subcommands.map((each) => ({ value: each.name(), about: each.description() })),
    };
  }
  const { registeredArguments } = command;
  const argument = registeredArguments[values.length] ?? registeredArguments.at(-1);
  if (argument === undefined || (registeredArguments.length <= values.length && !argument.variadic)) return NOTHING;
  return argumentValues(argument, last, line, lookup);
}

function readLine(program: Command, words: readonly string[]): Line {
  let command = program;
  let waiting: Option | undefined;
  let onlyValues = false;
  const values: string[] = [];
  const flags = new Map<string, string>();
  for (const word of words) {
    if (waiting !== undefined) {
      flags.set(waiting.attributeName(), word);
      waiting = undefined;
    } else if (word === "--") onlyValues = true;
    else if (word.startsWith("-") && !onlyValues) {
      const [name, ...rest] = word.split("=");
      const option = optionOf(command, name);
      if (option === undefined) continue;
      if (rest.length > 0) flags.set(option.attributeName(), rest.join("="));
      else if (option.required || option.optional) waiting = option;
      else flags.set(option.attributeName(), "true");
    } else {
      const subcommand = values.length > 0 ? undefined : command.commands.find((each) => each.name() === word);
      if (subcommand === undefined) values.push(word);
      else command = subcommand as Command;
    }
  }
  return { command, values, flags, waiting, onlyValues };
}

const optionOf = (command: Command, flag: string): Option | undefined =>
  command.options.find(({ long, short }) => long === flag || short === flag);

/** The flags that are not in the line yet; some may be repeated. */
function flagsOf({ command, flags }: Line): Completions {
  const help = command.createHelp();
  const open = help
    .visibleOptions(command)
    .filter((option) => !flags.has(option.attributeName()) || /repeated|commas/.test(option.description));
  return {
    ...NOTHING,
    candidates: open.map((option) => ({ value: option.long ?? option.short ?? "", about: option.description })),
  };
}

/** The placeholder in the declaration of an option, `<file>`, names the kind of its value. */
const PLACES = /^(file|folder|place)$/;

async function valuesOf(option: Option, last: string, line: Line, lookup: Lookup): Promise<Completions> {
  if (option.argChoices !== undefined) return of(option.argChoices);
  if (option instanceof ListedOption) return of(option.values);
  const what = /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? "";
  if (PLACES.test(what)) return FILES;
  const kind = kindOf(line.command.registeredArguments[0]);
  const [code] = line.values;
  if (kind === undefined || code === undefined) return NOTHING;
  switch (what) {
    case "title":
    case "column":
      return of(await lookup.columns(kind, code, line.flags));
    case "columns":
      return listOf(await lookup.columns(kind, code, line.flags), last);
    case "condition":
      return of(
        (await lookup.filters(code, line.flags)).map((name) => `${name}=`),
        true,
      );
    default:
      return NOTHING;
  }
}

/** The next of names that are separated by commas, without those that are listed already. */
function listOf(names: readonly string[], last: string): Completions {
  const before = last.slice(0, last.lastIndexOf(",") + 1);
  const listed = before.split(",");
  return of(
    names.filter((name) => !listed.includes(name)).map((name) => before + name),
    true,
  );
}

/** What a command takes as its code, by the shape in the description of its argument. */
function kindOf(argument: Argument | undefined): CodeKind | undefined {
  if (argument === undefined) return undefined;
  const shape = /^[A-Z]+(\/[A-Z]+)?/.exec(argument.description)?.[0];
  return ({ "DATABASE/DATASET": "dataset", "VENDOR/TABLE": "table", DATABASE: "database" } as const)[shape ?? ""];
}

async function argumentValues(
  argument: Argument,
  last: string,
  { flags, values }: Line,
  lookup: Lookup,
): Promise<Completions> {
  if (argument.argChoices !== undefined) return of(argument.argChoices);
  const kind = kindOf(argument);
  if (kind !== undefined) {
    const codes = await lookup.codes(kind, last, flags);
    return of(codes.filter((code) => !values.includes(code)));
  }
  return argument.description.includes(localEndings) || /\.ipynb/.test(argument.description) ? FILES : NOTHING;
}

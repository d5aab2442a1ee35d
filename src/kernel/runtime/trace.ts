import { SourceMap, type SourceMapPayload } from "node:module";
import { isAbsolute, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { type ArrowbookError, isArrowbookError } from "../../errors/errors.js";
import { scrub } from "../../errors/secrets.js";
import { showsStack } from "../../errors/stack.js";
import { packageRoot } from "../../package/package-root.js";
import { type Diagnostic, withColumnMessages } from "../compiler/column-messages.js";
import { originalPosition, type Position, type ScriptSource } from "../debug/debug-values.js";

/** The error fields that the protocol requires. */
export interface CellError {
  readonly ename: string;
  readonly evalue: string;
  /** Lines, with terminal colours as in other kernels. */
  readonly traceback: readonly string[];
}

/** The executed cells, and the compiled local files, by the file name of their code. */
export type RanCells = ReadonlyMap<string, ScriptSource>;

/**
 * Makes the stacks of errors name positions in the sources of cells and local files and end with them, without the
 * frames of the kernel: also a stack that a cell prints is that of its code.
 */
export function showSourcePositions(cells: RanCells): void {
  const prepare = (error: unknown, calls: readonly NodeJS.CallSite[]): string => {
    const frames = calls.flatMap((call) => mappedFrame(`    at ${call}`, cells) ?? []);
    const last = showsStack() ? -1 : frames.findLastIndex((frame) => cells.has(FRAME.exec(frame)?.[4] ?? ""));
    return [headOf(error), ...(last === -1 ? frames : frames.slice(0, last + 1))].join("\n");
  };
  Error.prepareStackTrace = Object.assign(prepare, { cells });
}

function headOf(error: unknown): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "Error"; // A proxy that throws.
  }
}

const RED = "\u001b[31m";
const GREY = "\u001b[90m";
const RESET = "\u001b[0m";
const CONTEXT_LINES = 2;
/** The built code of this package, as a path and as a URL. */
const OWN = [`${packageRoot()}/dist/`, `${pathToFileURL(packageRoot())}/dist/`];

/** The file name under which the code of a cell runs, for stack traces. */
export function cellName(count: number): string {
  return `cell [${count}]`;
}

/**
 * Converts an error thrown by a cell: frames of Node and of the kernel are removed, cells are named and the failing
 * line is quoted.
 */
export function thrown(error: unknown, cells: RanCells, folder: string): CellError {
  try {
    return isError(error)
      ? described(error, cells, folder)
      : uncaught(typeof error === "object" ? inspect(error) : String(error));
  } catch {
    // As of a Proxy. Out of a callback, its own error would end the kernel.
    return uncaught("a value that throws when it is read");
  }
}

function uncaught(text: string): CellError {
  const evalue = scrub(text);
  return { ename: "Uncaught", evalue, traceback: [`${RED}Uncaught${RESET}: ${evalue}`] };
}

function described(error: Error, cells: RanCells, folder: string): CellError {
  const ename = error.name || error.constructor?.name || "Error";
  const evalue = scrub(String(error.message));
  const { lines, quoted } = frames(error, cells, folder);
  // Errors of this package already contain what, where and the next step.
  if (isArrowbookError(error)) return { ename, evalue, traceback: [ownText(error), ...quoted, ...lines] };
  const causes = causesOf(error).map((cause) => `${GREY}because of ${RESET}${scrub(cause)}`);
  return {
    ename,
    evalue,
    traceback: [`${RED}${ename}${RESET}: ${evalue}`, ...hintOf(evalue), ...quoted, ...lines, ...causes],
  };
}

/** The messages of code that expects a page, as of libraries of charts. */
const NEEDS_PAGE = [
  /^(?:document|window) is not defined$/,
  /^Cannot find name '(?:document|window)'/,
  /of undefined \(reading '(?:documentElement|body|createElement(?:NS)?)'\)$/,
];
const NO_PAGE =
  'The kernel has no document. Install linkedom, and pass parseHTML("<p>").document, as in Plot.plot({ document }).';

function hintOf(message: string): string[] {
  return NEEDS_PAGE.some((pattern) => pattern.test(message)) ? [NO_PAGE] : [];
}

export function compileError(found: readonly Diagnostic[], source: string, count: number): CellError {
  const diagnostics = withColumnMessages(found);
  const own = diagnostics.map(({ fileName, start, messageText, code }) => {
    const where = `${fileName ?? cellName(count)}:${start.line + 1}:${start.character + 1}`;
    const quote = fileName === undefined ? quotation(source, { line: start.line, column: start.character }) : [];
    return [`${RED}${where}${RESET} - ${messageText} ${GREY}(ts${code})${RESET}`, ...hintOf(messageText), ...quote];
  });
  const [first] = diagnostics;
  return {
    ename: "TypeScriptError",
    evalue: `${first.fileName ?? ""}${first.fileName === undefined ? "" : " "}${first.start.line + 1}:${first.start.character + 1} - ${first.messageText}`,
    traceback: own.flat(),
  };
}

function ownText(error: ArrowbookError): string {
  const shows = (error as { [inspect.custom]?: unknown })[inspect.custom] !== undefined;
  const hint = error.hint === undefined ? "" : `\n${scrub(error.hint)}`;
  return shows ? inspect(error, { colors: true }) : `${RED}${error.name}${RESET}: ${scrub(error.message)}${hint}`;
}

function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
}

function causesOf(error: Error): string[] {
  const causes: string[] = [];
  for (let cause = error.cause; isError(cause) && causes.length < 4; cause = cause.cause) {
    causes.push(`${cause.name}: ${cause.message}`);
  }
  return causes;
}

/** Whether a frame is of this package, its kernel included; `ARROWBOOK_STACK=1` shows them. */
function isHidden(file: string): boolean {
  return !showsStack() && OWN.some((folder) => file.startsWith(folder));
}

const FRAME = /^(\s+at )(async )?(?:(.*?) \()?(.*?):(\d+):(\d+)\)?$/;

const sourceMaps = new WeakMap<ScriptSource, SourceMap>();

/** A frame of a stack; that of a cell or a local file with its position in the source, if it has one. */
function mappedFrame(line: string, cells: RanCells): string | undefined {
  const [, at, isAsync = "", name, file, row, column] = FRAME.exec(line) ?? [];
  const cell = cells.get(file);
  if (cell === undefined) return line;
  const position = { line: Number(row) - 1, column: Number(column) - 1 };
  const sourceMap = sourceMaps.get(cell) ?? new SourceMap(JSON.parse(cell.map) as SourceMapPayload);
  sourceMaps.set(cell, sourceMap);
  const own = originalPosition(sourceMap, position);
  return own && `${at}${isAsync}${named(cellFunction(name), `${file}:${own.line + 1}:${own.column + 1}`)}`;
}

/** The frames of an error that concern the user, and the source line of the first one in a cell. */
function frames(error: Error, cells: RanCells, folder: string): { lines: string[]; quoted: string[] } {
  const lines: string[] = [];
  let quoted: string[] = [];
  const ours = isArrowbookError(error) && !showsStack();
  // A cell may have replaced what maps stacks.
  const isMapped = (Error.prepareStackTrace as { readonly cells?: RanCells } | undefined)?.cells === cells;
  for (const line of String(error.stack ?? "").split("\n")) {
    const frame = FRAME.exec((isMapped ? line : mappedFrame(line, cells)) ?? "");
    if (frame === null || /^node:|[\\/]tslab[\\/]dist[\\/]/.test(frame[4])) continue;
    const [, , , name, file, row, column] = frame;
    const cell = cells.get(file);
    const isPackage = /[\\/]node_modules[\\/]/.test(file);
    if (cell === undefined && (isHidden(file) || (ours && isPackage))) continue;
    lines.push(`    at ${named(name, `${shortened(file, folder)}:${row}:${column}`)}`);
    if (quoted.length > 0 || cell === undefined || isAbsolute(file)) continue;
    quoted = quotation(cell.source, { line: Number(row) - 1, column: Number(column) - 1 });
  }
  return { lines, quoted };
}

function named(name: string | undefined, place: string): string {
  return name === undefined || name === "" ? place : `${name} (${place})`;
}

/** The name of a function in a cell; undefined for the wrapper of the cell. */
function cellFunction(name: string | undefined): string | undefined {
  return name === undefined || /^((?:async )?Object\.<anonymous>|eval|<anonymous>|Module\.<anonymous>)$/.test(name)
    ? undefined
    : name.replace(/^\$earlier_*\./, "");
}

function shortened(file: string, folder: string): string {
  if (/^cell \[/.test(file)) return file;
  const path = file.replace(/^file:\/\//, "");
  const short = relative(folder, path);
  return short.startsWith("..") ? path : short;
}

/** The line at `at` with its context and a mark below the column. */
function quotation(source: string, at: Position): string[] {
  const lines = source.split("\n");
  if (at.line >= lines.length) return [];
  const first = Math.max(0, at.line - CONTEXT_LINES);
  const last = Math.min(lines.length - 1, at.line + CONTEXT_LINES);
  const width = String(last + 1).length;
  const quoted: string[] = [];
  for (let line = first; line <= last; line++) {
    const head = String(line + 1).padStart(width);
    quoted.push(line === at.line ? `> ${head} | ${lines[line]}` : `${GREY}  ${head} | ${lines[line]}${RESET}`);
    if (line === at.line) quoted.push(`  ${" ".repeat(width)} | ${" ".repeat(at.column)}${RED}^${RESET}`);
  }
  return quoted;
}

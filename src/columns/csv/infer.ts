import { DataError, InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { CsvOptions } from "../arrow/read-options.js";
import type { RawColumn } from "../build/builder.js";
import { TypeGuess } from "../build/type-guess.js";
import { otherDelimiter } from "./header.js";
import { CsvParser } from "./parser.js";
import { rawBatches } from "./raw-batches.js";

/** Options of CSV whose columns are not declared. */
export interface UndeclaredOptions extends Omit<CsvOptions, "columns"> {
  /**
   * Takes the columns from the file: `header` reads all of them as text, `infer` finds the type of each from all its
   * cells.
   */
  readonly columns: "infer" | "header";
  /** Service types of some columns by name, instead of inferred ones or text. */
  readonly types?: Readonly<Record<string, string>>;
}

/**
 * The columns of CSV chunks of any size: names from the header (`column_1`, … for empty names and without a header),
 * types from `types`, by {@link TypeGuess} or `String`. To infer types, all rows are read, and none is kept.
 *
 * @throws {DataError} as the reader of the rows does; EmptyCsv
 * @throws {InputError} UnknownColumn for a name in `types` that the file does not have
 */
export async function columnsOfCsv(
  chunks: AsyncIterable<Uint8Array>,
  options: UndeclaredOptions,
): Promise<readonly ColumnSpec[]> {
  const { columns: choice, types = {}, ...rest } = options;
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    const { names, read } = await firstLines(iterator, { ...rest, columns: [], byPosition: true });
    for (const name of Object.keys(types)) {
      if (names.includes(name)) continue;
      throw new InputError(`types names ${JSON.stringify(name)}, which is not a column of the file.`, {
        code: "UnknownColumn",
        column: name,
        hint: suggestion(name, names, "columns"),
      });
    }
    const own = (name: string): string | undefined => (Object.hasOwn(types, name) ? types[name] : undefined);
    if (choice === "header") return names.map((name) => ({ name, type: own(name) ?? "String" }));
    const guesses = names.map(() => new TypeGuess());
    const texts = names.map((name) => ({ name, type: "String" }));
    const parser = new CsvParser({ ...rest, columns: texts, byPosition: true, text: "utf8" });
    for await (const raw of rawBatches(parser, again(read, iterator), options.signal)) {
      raw.columns.forEach((column, i) => {
        addCells(column, raw.rows, guesses[i]);
        raw.spare?.give(column.words.buffer as ArrayBuffer);
        if (column.bytes !== undefined) raw.spare?.give(column.bytes.buffer as ArrayBuffer);
      });
    }
    return names.map((name, i) => ({ name, type: own(name) ?? guesses[i].type }));
  } finally {
    await iterator.return?.();
  }
}

/** The names of the columns, and the chunks that were read to find them. */
async function firstLines(
  iterator: AsyncIterator<Uint8Array>,
  options: CsvOptions,
): Promise<{ readonly names: readonly string[]; readonly read: readonly Uint8Array[] }> {
  const parser = new CsvParser(options);
  const read: Uint8Array[] = [];
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done) parser.finish();
      else {
        read.push(new Uint8Array(value));
        parser.feed(value);
      }
      if (!parser.begin()) continue;
      const { names } = parser;
      if (names !== undefined) {
        checkDelimiter(names, options);
        return { names: names.map((name, i) => (name === undefined || name === "" ? `column_${i + 1}` : name)), read };
      }
      const width = parser.nextWidth();
      if (width !== undefined) return { names: Array.from({ length: width }, (_, i) => `column_${i + 1}`), read };
      if (done) throw new DataError("The CSV text is empty.", { code: "EmptyCsv", offset: 0 });
    }
  } finally {
    parser.close();
  }
}

/** @throws {DataError} UndeclaredColumn for a header of one name that contains another delimiter */
function checkDelimiter(names: readonly (string | undefined)[], { delimiter }: CsvOptions): void {
  const other = delimiter === undefined ? otherDelimiter(names) : undefined;
  if (other === undefined) return;
  const [shown, code] = other;
  throw new DataError(
    `The header line is one cell, ${JSON.stringify(names[0])}: its names are separated by ${shown}.`,
    {
      code: "UndeclaredColumn",
      column: names[0],
      offset: 0,
      hint: `Pass delimiter: ${code}; if it is one name, delimiter: ",".`,
    },
  );
}

async function* again(read: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* read;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Adds the cells of a Utf8 column. */
function addCells({ words, bytes = new Uint8Array(0), validity }: RawColumn, rows: number, guess: TypeGuess): void {
  for (let row = 0; row < rows && !guess.isText; row++) {
    if (validity !== undefined && (validity[row >> 3] & (1 << (row & 7))) === 0) continue;
    guess.add(bytes, words[row], words[row + 1]);
  }
}

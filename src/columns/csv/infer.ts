import { DataError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";
import { plainCellOf } from "../arrow/csv-dialect.js";
import type { Batching, CsvOptions } from "../arrow/read-options.js";
import type { RawColumn } from "../build/builder.js";
import { rawBatches } from "../build/text-reader.js";
import { checkTyped, TypeGuess } from "../build/type-guess.js";
import { otherDelimiter } from "./header.js";
import { CsvParser } from "./parser.js";

/** Options of CSV whose columns are not declared. */
export interface UndeclaredOptions extends Omit<CsvOptions, "columns"> {
  /**
   * Takes the columns from the file: `infer`, the default, finds the type of each from all its cells, `header` reads
   * all of them as text.
   */
  readonly columns?: "infer" | "header";
  /** Service types of some columns by name, instead of inferred ones or text. */
  readonly types?: Readonly<Record<string, string>>;
}

/** A column whose type was found; `isEmpty`: no cell has a value, so that it may be any. */
export interface InferredColumn extends ColumnSpec {
  readonly isEmpty?: boolean;
}

/**
 * The columns of CSV chunks of any size: names from the header (`column_1`, … for empty names and without a header),
 * types from `types`, by {@link TypeGuess} or `String`. To infer types, all rows are read, and none is kept.
 *
 * @param chunks is called for each pass over the text
 * @throws {DataError} as the reader of the rows does; EmptyCsv
 * @throws {InputError} UnknownColumn for a name in `types` that the file does not have
 */
export async function columnsOfCsv(
  chunks: () => AsyncIterable<Uint8Array>,
  options: UndeclaredOptions & Batching,
): Promise<readonly InferredColumn[]> {
  // What becomes null or is rounded is reported when the rows are read.
  const { columns: choice, types = {}, onReport: _, ...rest } = options;
  const names = await namesOfCsv(chunks(), { ...rest, columns: [], byPosition: true });
  if (!options.isPart) checkTyped(types, names, "a column of the file");
  const own = (name: string): string | undefined => (Object.hasOwn(types, name) ? types[name] : undefined);
  if (choice === "header") return names.map((name) => ({ name, type: own(name) ?? "String" }));
  const guesses = names.map(() => new TypeGuess(plainCellOf(options)));
  const texts = names.map((name) => ({ name, type: "String" }));
  const parser = new CsvParser({ ...rest, columns: texts, byPosition: true, text: "utf8" });
  for await (const raw of rawBatches(parser, chunks(), options.signal)) {
    raw.columns.forEach((column, i) => {
      addCells(column, raw.rows, guesses[i]);
      raw.spare?.give(column.words.buffer as ArrayBuffer);
      if (column.bytes !== undefined) raw.spare?.give(column.bytes.buffer as ArrayBuffer);
    });
  }
  return names.map((name, i) => {
    const { isEmpty, type } = guesses[i];
    const declared = own(name);
    return { name, type: declared ?? type, ...(isEmpty && declared === undefined && { isEmpty }) };
  });
}

/** The names of the columns, found in the first chunks. */
async function namesOfCsv(chunks: AsyncIterable<Uint8Array>, options: CsvOptions): Promise<readonly string[]> {
  const parser = new CsvParser(options);
  try {
    for await (const chunk of chunks) {
      parser.feed(chunk);
      const names = namesRead(parser);
      if (names !== undefined) return names;
    }
    parser.finish();
    const names = namesRead(parser);
    if (names !== undefined) return names;
  } finally {
    parser.close();
  }
  throw new DataError("The CSV text is empty.", { code: "EmptyCsv", offset: 0 });
}

/** The names in the header, or those of the cells of the first row; undefined if more bytes are needed. */
function namesRead(parser: CsvParser): readonly string[] | undefined {
  if (!parser.begin()) return undefined;
  const { names, options } = parser;
  if (names !== undefined) checkDelimiter(names, options);
  const width = names?.length ?? parser.nextWidth();
  if (width === undefined) return undefined;
  return Array.from({ length: width }, (_, i) => names?.[i] || `column_${i + 1}`);
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

function addCells({ words, bytes = new Uint8Array(0), validity }: RawColumn, rows: number, guess: TypeGuess): void {
  for (let row = 0; row < rows && !guess.isText; row++) {
    if (validity !== undefined && (validity[row >> 3] & (1 << (row & 7))) === 0) continue;
    guess.add(bytes, words[row], words[row + 1]);
  }
}

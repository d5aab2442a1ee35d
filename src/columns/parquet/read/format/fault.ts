/** Damage in a Parquet file. Its message is part of an error of this package; it never reaches a caller itself. */
export class ParquetFault extends Error {}

/** Something in a Parquet file that is not damaged but not read either: another codec, an encrypted column. */
export class UnsupportedParquet extends Error {
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** The same error with the place where it was found before its message. */
export function placed(error: unknown, place: string): unknown {
  if (error instanceof ParquetFault) return new ParquetFault(`${place}: ${error.message}`, { cause: error });
  if (error instanceof UnsupportedParquet) return new UnsupportedParquet(`${place}: ${error.message}`, error.hint);
  return error;
}

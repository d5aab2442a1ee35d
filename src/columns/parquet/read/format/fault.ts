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

/** A timestamp that its unit does not hold in 64 bits. */
export class BeyondUnit extends UnsupportedParquet {
  constructor() {
    super(
      "it has timestamps that 64 bits do not hold: dates outside of 1677 to 2262 beside nanoseconds",
      "Write the column in microseconds.",
    );
  }
}

/** The same error with the place where it was found before its message. */
export function placed(error: unknown, place: string): unknown {
  if (error instanceof ParquetFault) return new ParquetFault(`${place}: ${error.message}`, { cause: error });
  if (error instanceof UnsupportedParquet) return new UnsupportedParquet(`${place}: ${error.message}`, error.hint);
  return error;
}

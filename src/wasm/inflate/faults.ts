// Error codes of a damaged deflate stream; `format/inflater` has their messages.

export const BLOCK_TYPE = 1;
export const STORED_LENGTH = 2;
export const TOO_MANY_SYMBOLS = 3;
export const CODE_LENGTHS = 4;
export const REPEAT = 5;
export const NO_END_OF_BLOCK = 6;
export const SYMBOL_CODE = 7;
export const DISTANCE_CODE = 8;
export const BAD_SYMBOL = 9;
export const BAD_DISTANCE = 10;
export const TOO_FAR = 11;

import { CR, SPACE } from "./bytes";

/** Where the cell begins behind the mark that the scan has stored at `at`, a space before it left out if `spaced`. */
@inline
export function cellStart(at: usize, spaced: bool): usize {
  const p = <usize>load<u32>(at) + 1;
  return spaced ? p + <usize>(load<u8>(p) == SPACE) : p;
}

/** Where the cell ends whose end `scan` has stored at `at`; in the last column before the CR of a CRLF. */
@inline
export function cellEnd(at: usize, last: bool): usize {
  const end = <usize>load<u32>(at);
  return last ? end - <usize>(load<u8>(end - 1) == CR) : end;
}

/** Notes a row as odd; where the next note goes. */
@inline
export function noteRow(noted: usize, row: i32): usize {
  store<u32>(noted, row);
  return noted + 4;
}

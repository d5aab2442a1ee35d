import { FileError } from "../../errors/errors.js";

/** The error for a copy of which something is missing: `damage` as a clause. */
export function incomplete(place: string, code: string, damage: string): FileError {
  return new FileError(`The copy of ${code} in ${place} is not complete: ${damage}.`, {
    code: "BadMirror",
    hint: "Call sync(): it exports the table again.",
  });
}

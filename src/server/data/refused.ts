import type { Failure } from "../../document/failure.js";
import type { Profile } from "../../spec/profile.js";

/** A call that the service answers with an error (spec 7). */
export class Refused extends Error {
  constructor(
    readonly failure: Failure,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(failure.message);
    this.name = "Refused";
  }
}

/** A refusal by its code; the status is the profile's for that code unless one is passed. */
export function refused(profile: Profile, code: string, message: string, status?: number): Refused {
  return new Refused({ code, message, status: status ?? profile.errors.value[code]?.status ?? 400 });
}

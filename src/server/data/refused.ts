import type { Failure } from "../../document/failure.js";
import { ERROR_MEANINGS, type ServiceCode } from "../../spec/error-meanings.js";
import type { Profile } from "../../spec/profile.js";

export interface ServerFailure extends Failure {
  readonly code: ServiceCode;
}

/** A call that the service rejects (spec 7). */
export class Refused extends Error {
  constructor(
    readonly failure: ServerFailure,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(failure.message);
    this.name = "Refused";
  }
}

/**
 * Creates an error by its code. The status is the profile's for that code, or the observed one, unless it is passed.
 */
export function refused(profile: Profile, code: ServiceCode, message: string, status?: number): Refused {
  const usual = profile.errors.value[code]?.status ?? ERROR_MEANINGS[code].status;
  return new Refused({ code, message, status: status ?? usual });
}

/** The key under which a service completes codes, for the kernel and the command line. */
export const CODES: symbol = Symbol.for("arrowbook.codes");

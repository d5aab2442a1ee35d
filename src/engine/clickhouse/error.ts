import {
  type ArrowbookError,
  DataError,
  FileError,
  InputError,
  isArrowbookError,
  TransportError,
} from "../../errors/errors.js";

/** The server's numbers of errors, by what they mean for the caller. */
const DATA = new Set([6, 27, 33, 38, 41, 69, 70, 72, 117, 131, 153, 190, 321, 349, 395, 407, 469, 691]);
const ACCESS = new Set([164, 192, 193, 194, 291, 495, 497, 516]);
const RESOURCES = new Set([158, 159, 173, 241, 243, 290, 307, 396]);
const BUSY = new Set([202, 209, 210, 225, 242, 252, 279, 285, 319, 335, 425, 439, 999]);

/** HTTP statuses of proxies and of servers that are starting or overloaded. */
const BUSY_STATUS = new Set([429, 502, 503, 504]);

/** An error reply, or an error in the middle of a reply. */
export class ServerError extends Error {
  constructor(
    message: string,
    /** The server's number of the error; undefined if the reply is not the server's. */
    readonly number: number | undefined,
    readonly status?: number,
  ) {
    super(message);
  }

  get isBusy(): boolean {
    if (this.number !== undefined) return BUSY.has(this.number);
    return this.status !== undefined && BUSY_STATUS.has(this.status);
  }
}

const EXCEPTION = /Code: (\d+)[.,] (?:e\.displayText\(\) = )?DB::(?:\w+::)*\w*Exception: ([\s\S]*)/;

/** Reads the error of a reply with an error status; `text` is its body. */
export function replyError(text: string, status: number | undefined, header: string | undefined): ServerError {
  const match = EXCEPTION.exec(text);
  if (match !== null) return new ServerError(reason(match[2]), Number(match[1]), status);
  const shown = text
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 200);
  const number = header === undefined || !/^\d+$/.test(header) ? undefined : Number(header);
  return new ServerError(shown === "" ? `HTTP status ${status}` : shown, number, status);
}

/**
 * Finds an error that the server wrote into a result after it had begun: marked by the tag of the reply's header
 * (servers since 25.11), or as text at the end.
 */
export function errorInResult(tail: Uint8Array, tag: string | undefined): ServerError | undefined {
  const text = new TextDecoder().decode(tail);
  const marked = tag === undefined ? -1 : text.lastIndexOf(`__exception__\r\n${tag}\r\n`);
  const match = EXCEPTION.exec(marked < 0 ? text : text.slice(marked));
  if (match !== null) {
    const [message] = match[2].split(/\n\d+ \S+\r\n__exception__/);
    return new ServerError(reason(message), Number(match[1]));
  }
  return marked < 0 ? undefined : new ServerError("the server reports an error without its number", undefined);
}

/** The message without the repeated frame of nested exceptions, the type and the version at its end. */
function reason(text: string): string {
  return text
    .replace(/Code: \d+\. DB::(?:\w+::)?Exception: /g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?\((?:[A-Z][A-Z0-9_]+|version [^)]{0,100}|official build)\)\.?/g, "")
    .replace(/,? ?Stack trace[\s\S]*/, "")
    .trim();
}

const NETWORK: Readonly<Record<string, "Unreachable" | "ConnectionLost" | "Tls">> = {
  ECONNREFUSED: "Unreachable",
  ENOTFOUND: "Unreachable",
  EAI_AGAIN: "Unreachable",
  EHOSTUNREACH: "Unreachable",
  ENETUNREACH: "Unreachable",
  ECONNRESET: "ConnectionLost",
  EPIPE: "ConnectionLost",
  ECONNABORTED: "ConnectionLost",
  ERR_STREAM_PREMATURE_CLOSE: "ConnectionLost",
  DEPTH_ZERO_SELF_SIGNED_CERT: "Tls",
  CERT_HAS_EXPIRED: "Tls",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "Tls",
  ERR_TLS_CERT_ALTNAME_INVALID: "Tls",
};

/** Whether a request failed before its reply was complete, so that its effect is unknown. */
export function isTransport(error: unknown): boolean {
  if (error instanceof ServerError) return error.isBusy;
  return !isArrowbookError(error) && transportCode(error) !== undefined;
}

function transportCode(error: unknown): "Unreachable" | "ConnectionLost" | "Tls" | "Timeout" | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === "string" && NETWORK[code] !== undefined) return NETWORK[code];
  if (Array.isArray(errors)) return transportCode(errors[0]);
  if (/timeout/i.test(error.message)) return "Timeout";
  if (/socket hang up|aborted|terminated|unexpected end of file|premature close/i.test(error.message)) {
    return "ConnectionLost";
  }
  return undefined;
}

/** Converts an error of the server or of the connection to one of this package: `what`, followed by its reason. */
export function engineError(error: unknown, what: string): ArrowbookError {
  if (isArrowbookError(error)) return error;
  if (error instanceof ServerError) return serverError(error, what);
  const text = error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error);
  const code = transportCode(error) ?? "ConnectionLost";
  return new TransportError(`${what}: ${text}`, {
    code,
    cause: error,
    hint: "Check the address, the network and the server's log.",
  });
}

function serverError(error: ServerError, what: string): ArrowbookError {
  const { number, status } = error;
  const message = number === undefined ? `${what}: ${error.message}` : `${what}: ${error.message} (error ${number})`;
  const details = { cause: error, ...(status !== undefined && { status }) };
  if (error.isBusy) {
    const hint = "The server is overloaded or restarting; try again later.";
    return new TransportError(message, { ...details, code: "EngineBusy", hint });
  }
  if (number === undefined) {
    const hint = "Check that the address is that of ClickHouse's HTTP interface (port 8123, or 8443 with TLS).";
    return new DataError(message, { ...details, code: "UnexpectedContent", hint });
  }
  if (DATA.has(number)) return new DataError(message, { ...details, code: "EngineData" });
  if (ACCESS.has(number)) {
    const hint = "Check user and password, and the rights of the user.";
    return new InputError(message, { ...details, code: "EngineAccess", hint });
  }
  if (RESOURCES.has(number)) return new FileError(message, { ...details, code: "EngineFailed" });
  return new InputError(message, {
    ...details,
    code: "BadStatement",
    hint: "Put names with spaces in double quotes, strings in single quotes; pass values as $1, $2, ….",
  });
}

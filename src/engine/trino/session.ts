import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { rememberSecret } from "../../errors/secrets.js";

/** Options of `trino()`. */
export interface TrinoOptions {
  /**
   * The server, such as `https://trino.example.com` or `http://localhost:8080`; behind a proxy with the path that
   * precedes `/v1`.
   */
  readonly url: string;
  /** The user, in Latin-1; for a data delivery service that replies to SQL, the API key. */
  readonly user: string;
  /** Password of the user; needs `https`, or this machine. */
  readonly password?: string;
  /** A token (JWT, OAuth 2.0) in place of a password; needs `https`, or this machine. */
  readonly token?: string;
  /** The catalog of names without one. Default `main`. */
  readonly catalog?: string;
  /** The schema in which tables are. */
  readonly schema?: string;
  /** Session properties, such as `{ query_max_run_time: "10m" }`. */
  readonly session?: Readonly<Record<string, string>>;
  /** Attempts while the server is overloaded or the connection breaks. Default 5. */
  readonly retries?: number;
}

const OPTIONS = ["url", "user", "password", "token", "catalog", "schema", "session", "retries"];

/** Names of people and programs; anything else that is passed as a user alone may be a key. */
const PLAIN_NAME = /^[a-z]{1,12}$|^[a-z.+-]+@[a-z.-]+$/i;

/** Hosts to which a secret may be sent without TLS. */
const THIS_MACHINE = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * What is sent with each request. Statements such as `USE`, `SET SESSION` and `PREPARE` change it: the server keeps
 * nothing, it replies with headers that later requests must carry.
 */
export class TrinoSession {
  readonly base: URL;
  private readonly fixed: Readonly<Record<string, string>>;
  private catalog: string;
  private schema: string | undefined;
  private readonly properties: Map<string, string>;
  private readonly prepared = new Map<string, string>();

  /** @throws {InputError} BadAddress, BadArgument, UnknownOption */
  constructor(options: TrinoOptions) {
    refuseUnknown(options, OPTIONS, "trino()");
    const { user, password, token, catalog = "main", schema, session = {} } = options;
    if (typeof user !== "string" || user === "") {
      throw new InputError("trino() expects a user.", { code: "BadArgument", hint: "Pass the API key as `user`." });
    }
    const hasSecret = password !== undefined || token !== undefined;
    if (!hasSecret && !PLAIN_NAME.test(user)) rememberSecret(user);
    for (const secret of [password, token]) if (secret !== undefined) rememberSecret(secret);
    this.base = baseOf(options.url);
    if (hasSecret && this.base.protocol !== "https:" && !THIS_MACHINE.test(this.base.hostname)) {
      throw new InputError("A password or token is not sent without TLS.", {
        code: "BadAddress",
        hint: "Pass an address that begins with https://.",
      });
    }
    const given = { user, catalog, ...(schema !== undefined && { schema }), ...session, ...(token && { token }) };
    for (const [name, value] of Object.entries(given)) needLatin1(name, value);
    if (password !== undefined) needLatin1("password", password);
    this.fixed = {
      "x-trino-user": user,
      "x-trino-source": "arrowbook",
      "x-trino-time-zone": "UTC",
      // Types of timestamps then have their precision.
      "x-trino-client-capabilities": "PARAMETRIC_DATETIME",
      ...(password !== undefined && {
        authorization: `Basic ${Buffer.from(`${user}:${password}`, "latin1").toString("base64")}`,
      }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    this.catalog = catalog;
    this.schema = schema;
    this.properties = new Map(Object.entries(session));
  }

  headers(): Record<string, string> {
    return {
      ...this.fixed,
      "x-trino-catalog": this.catalog,
      ...(this.schema !== undefined && { "x-trino-schema": this.schema }),
      ...listed("x-trino-session", this.properties),
      ...listed("x-trino-prepared-statement", this.prepared),
    };
  }

  /** Takes over what a statement changed. */
  update(headers: Headers): void {
    this.catalog = headers.get("x-trino-set-catalog") ?? this.catalog;
    this.schema = headers.get("x-trino-set-schema") ?? this.schema;
    for (const [name, value] of pairsOf(headers.get("x-trino-set-session"))) this.properties.set(name, value);
    for (const [name] of pairsOf(headers.get("x-trino-clear-session"))) this.properties.delete(name);
    for (const [name, value] of pairsOf(headers.get("x-trino-added-prepare"))) this.prepared.set(name, value);
    for (const [name] of pairsOf(headers.get("x-trino-deallocated-prepare"))) this.prepared.delete(name);
  }
}

const listed = (name: string, values: ReadonlyMap<string, string>): Record<string, string> =>
  values.size === 0 ? {} : { [name]: [...values].map(([key, value]) => `${encoded(key)}=${encoded(value)}`).join(",") };

/** As Java's URLEncoder writes it, which the server decodes. */
const encoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);
const decoded = (text: string): string => new URLSearchParams(`=${text}`).get("") ?? "";

const pairsOf = (header: string | null): [string, string][] =>
  (header ?? "")
    .split(",")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name, value = ""] = pair.split("=", 2);
      return [decoded(name), decoded(value)];
    });

function needLatin1(name: string, value: string): void {
  if (typeof value === "string" && /^[\x20-\x7e\xa0-\xff]*$/.test(value)) return;
  throw new InputError(`trino() expects ${JSON.stringify(name)} to be text of the printable characters of Latin-1.`, {
    code: "BadArgument",
    hint: "The protocol of Trino sends it as a header, which holds no other characters.",
  });
}

function baseOf(address: string): URL {
  let url: URL | undefined;
  try {
    url = new URL(address);
  } catch {
    // The address may hold a password: neither it nor the error that quotes it may be shown.
  }
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "") return url;
  throw new InputError("The address is not that of a Trino server.", {
    code: "BadAddress",
    hint: "Pass an address such as https://trino.example.com:443, and the user as `user`.",
  });
}

import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";

/** The supported version of the Jupyter messaging protocol. */
export const PROTOCOL_VERSION = "5.5";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };

/** A value with all its texts changed, also the names of members. */
export function withTexts(value: Json | undefined, change: (text: string) => string): Json | undefined {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: Json) => withTexts(item, change) ?? null);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [change(name), withTexts(member, change)]));
}

/** The content of a message: an object whose fields depend on the message type. */
export type Content = { readonly [name: string]: Json | undefined };

interface Header {
  readonly msg_id: string;
  readonly msg_type: string;
  readonly session: string;
  readonly username: string;
  readonly date: string;
  readonly version: string;
  /** The subshell that is to handle the request; absent for the main shell. */
  readonly subshell_id?: string | null;
}

/** One Jupyter message, without its signature. */
export interface Message {
  /** Routing frames before the delimiter; empty on the client side. */
  readonly identities: readonly Uint8Array[];
  readonly header: Header;
  readonly parent: Partial<Header>;
  readonly metadata: Content;
  readonly content: Content;
}

/** The connection file that a Jupyter server writes and a kernel reads. */
export interface ConnectionInfo {
  readonly transport: string;
  readonly ip: string;
  readonly shell_port: number;
  readonly iopub_port: number;
  readonly stdin_port: number;
  readonly control_port: number;
  readonly hb_port: number;
  readonly key: string;
  readonly signature_scheme: string;
  readonly kernel_name?: string;
}

const DELIMITER = Buffer.from("<IDS|MSG>");

/** A message of `type` with a new id, as the reply to `parent` if there is one. */
export function newMessage(type: string, content: Content, session: string, parent?: Message): Message {
  return {
    identities: parent?.identities ?? [],
    header: {
      msg_id: randomUUID(),
      msg_type: type,
      session,
      username: parent?.header.username ?? "arrowbook",
      date: new Date().toISOString(),
      version: PROTOCOL_VERSION,
    },
    parent: parent?.header ?? {},
    metadata: {},
    content,
  };
}

/** Encodes a message for the wire: identities, delimiter, signature, then header, parent, metadata and content. */
export function encodeMessage(message: Message, key: string): Buffer[] {
  const parts = [message.header, message.parent, message.metadata, message.content].map((part) =>
    Buffer.from(JSON.stringify(part)),
  );
  return [
    ...message.identities.map((identity) => Buffer.from(identity)),
    DELIMITER,
    Buffer.from(sign(parts, key)),
    ...parts,
  ];
}

/** Decodes and verifies a message; throws if the delimiter is missing, the signature is wrong or a part is not JSON. */
export function decodeMessage(parts: readonly Uint8Array[], key: string): Message {
  const buffers = parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength));
  const at = buffers.findIndex((part) => part.equals(DELIMITER));
  if (at < 0 || buffers.length < at + 6) throw new Error("the message has no delimiter or lacks parts");
  const body = buffers.slice(at + 2);
  const wanted = Buffer.from(sign(body, key));
  const found = buffers[at + 1];
  if (wanted.length !== found.length || !timingSafeEqual(wanted, found)) {
    throw new Error("the signature of the message does not match the key of the connection file");
  }
  const [header, parent, metadata, content] = body.slice(0, 4).map((part) => JSON.parse(part.toString()) as unknown);
  return {
    identities: buffers.slice(0, at),
    header: header as Header,
    parent: parent as Partial<Header>,
    metadata: metadata as Content,
    content: content as Content,
  };
}

function sign(parts: readonly Uint8Array[], key: string): string {
  if (key === "") return "";
  const hash = createHmac("sha256", key);
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

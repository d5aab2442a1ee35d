import type { Socket } from "node:net";

/** The socket kinds of ZeroMQ that the Jupyter protocol uses. */
export type SocketType = "DEALER" | "SUB" | "REQ" | "ROUTER" | "PUB" | "REP";

/** An open ZMTP 3.0 connection that sends and receives complete multipart messages. */
export interface Wire {
  /** Sends one message of one or more parts. */
  send(parts: readonly Uint8Array[]): void;
  close(): void;
}

export interface WireEvents {
  /** The handshake is complete; `identity` is that of the peer, empty if it has none. */
  readonly onReady?: (wire: Wire, identity: string) => void;
  readonly onMessage: (parts: Buffer[], wire: Wire) => void;
  /** The connection has ended; `error` is set unless it was closed on request. */
  readonly onClose?: (error?: Error) => void;
}

const MORE = 1;
const LONG = 2;
const COMMAND = 4;
const GREETING_BYTES = 64;

/**
 * Speaks ZMTP 3.0 with the NULL mechanism over an open or opening TCP socket: greeting, READY, then frames.
 * @see https://rfc.zeromq.org/spec/23/
 */
export function wire(socket: Socket, type: SocketType, events: WireEvents): Wire {
  let closed = false;
  const self: Wire = {
    send(parts) {
      if (closed) return;
      socket.cork();
      for (const [index, part] of parts.entries()) writeFrame(socket, index < parts.length - 1 ? MORE : 0, part);
      socket.uncork();
    },
    close() {
      closed = true;
      socket.destroy();
    },
  };
  const reader = frameReader(type, self, socket, events);
  socket.setNoDelay(true);
  socket.write(greeting());
  socket.on("data", (bytes: Buffer) => {
    try {
      reader(bytes);
    } catch (error) {
      socket.destroy(error as Error);
    }
  });
  let failure: Error | undefined;
  socket.on("error", (error) => {
    failure = error;
  });
  socket.on("close", () => {
    const asked = closed;
    closed = true;
    events.onClose?.(asked ? undefined : (failure ?? new Error("the connection was closed")));
  });
  return self;
}

function greeting(): Buffer {
  const bytes = Buffer.alloc(GREETING_BYTES);
  bytes[0] = 0xff;
  bytes[9] = 0x7f;
  bytes[10] = 3;
  bytes.write("NULL", 12, "latin1");
  return bytes;
}

function readyCommand(type: SocketType): Buffer {
  const properties: [string, string][] = [["Socket-Type", type]];
  if (type === "DEALER" || type === "REQ") properties.push(["Identity", ""]);
  const parts = [Buffer.from("\x05READY", "latin1")];
  for (const [name, value] of properties) {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(value.length);
    parts.push(Buffer.from([name.length]), Buffer.from(name), size, Buffer.from(value));
  }
  return Buffer.concat(parts);
}

/** The identity in a READY command: properties are a name with its length, and a value with its length. */
function identityOf(body: Buffer): string {
  for (let at = 1 + body[0]; at < body.length; ) {
    const named = at + 1 + body[at];
    const name = body.toString("latin1", at + 1, named);
    at = named + 4 + body.readUInt32BE(named);
    if (name === "Identity") return body.toString("latin1", named + 4, at);
  }
  return "";
}

function writeFrame(socket: Socket, flags: number, body: Uint8Array): void {
  if (body.length < 256) {
    socket.write(Buffer.from([flags, body.length]));
  } else {
    const head = Buffer.alloc(9);
    head[0] = flags | LONG;
    head.writeBigUInt64BE(BigInt(body.length), 1);
    socket.write(head);
  }
  if (body.length > 0) socket.write(body);
}

/** The reading half: a function that accepts bytes in chunks of any size. */
function frameReader(type: SocketType, self: Wire, socket: Socket, events: WireEvents): (bytes: Buffer) => void {
  let greeted = false;
  let ready = false;
  let message: Buffer[] = [];
  const store = new ByteStore();

  const onCommand = (body: Buffer): void => {
    const name = body.toString("latin1", 1, 1 + body[0]);
    if (name === "READY" && !ready) {
      ready = true;
      if (type === "SUB") self.send([Buffer.from([1])]);
      events.onReady?.(self, identityOf(body));
    } else if (name === "PING") {
      writeFrame(socket, COMMAND, Buffer.concat([Buffer.from("\x04PONG", "latin1"), body.subarray(7)]));
    } else if (name === "ERROR") {
      throw new Error(`the peer rejected the connection: ${body.toString("latin1", 2 + body[0])}`);
    }
  };

  return (bytes) => {
    store.push(bytes);
    if (!greeted) {
      const hello = store.take(GREETING_BYTES);
      if (hello === undefined) return;
      if (hello[0] !== 0xff || hello[9] !== 0x7f || hello[10] < 3) throw new Error("the peer does not speak ZMTP 3");
      greeted = true;
      writeFrame(socket, COMMAND, readyCommand(type));
    }
    for (let frame = store.frame(); frame !== undefined; frame = store.frame()) {
      if (frame.flags & COMMAND) {
        onCommand(frame.body);
        continue;
      }
      message.push(frame.body);
      if (frame.flags & MORE) continue;
      const whole = message;
      message = [];
      events.onMessage(whole, self);
    }
  };
}

/** A queue of received bytes; chunks are joined only when enough of them have arrived. */
class ByteStore {
  #chunks: Buffer[] = [];
  #held = 0;
  /** Bytes needed before the next frame is complete. */
  #needed = 2;

  push(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#held += bytes.length;
  }

  /** The next `count` bytes; undefined until all have arrived. */
  take(count: number): Buffer | undefined {
    if (this.#held < count) return undefined;
    const all = this.#joined();
    this.#held -= count;
    this.#chunks = [all.subarray(count)];
    return all.subarray(0, count);
  }

  /** The next complete frame; undefined until all of it has arrived. */
  frame(): { readonly flags: number; readonly body: Buffer } | undefined {
    if (this.#held < this.#needed) return undefined;
    const all = this.#joined();
    const [flags, short] = all;
    const head = flags & LONG ? 9 : 2;
    this.#needed = head;
    if (all.length < head) return undefined;
    this.#needed += flags & LONG ? Number(all.readBigUInt64BE(1)) : short;
    const frame = this.take(this.#needed);
    if (frame === undefined) return undefined;
    this.#needed = 2;
    return { flags, body: frame.subarray(head) };
  }

  #joined(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0];
  }
}

import type { Content, Json } from "../protocol/message.js";

/** A two-way channel between the kernel and the front end. */
export interface Comm {
  readonly id: string;
  readonly target: string;
  /** Sends data; without effect once the comm is closed. */
  send(data: Content): void;
  /** Closes the comm on both sides; without effect if it is closed. */
  close(data?: Content): void;
}

/** What the kernel does with the messages of a comm. An error, also a rejected promise, is reported. */
export interface CommHandlers {
  message?(data: Json): unknown;
  close?(data: Json): unknown;
}

/** Accepts a comm that the front end opened. */
type CommTarget = (comm: Comm, data: Json) => CommHandlers;

export type Comms = ReturnType<typeof createComms>;

interface CommOpenOptions {
  readonly id?: string;
  readonly metadata?: Content;
}

export interface CommParts {
  /** Returns what calls code as that of the cell that runs now. */
  readonly inCell: () => <T>(code: () => T) => T;
  readonly publish: (type: string, content: Content, metadata?: Content) => void;
  readonly report: (error: unknown, where: string) => void;
}

interface OpenComm {
  readonly comm: Comm;
  handlers: CommHandlers;
  /** Calls a handler as code of the cell that opened the comm, to which its output belongs. */
  readonly inCell: <T>(handler: () => T) => T;
}

/** @see https://jupyter-client.readthedocs.io/en/stable/messaging.html#custom-messages */
export function createComms({ inCell, publish, report }: CommParts) {
  const targets = new Map<string, CommTarget>();
  const open = new Map<string, OpenComm>();

  const commOf = (id: string, target: string): Comm => {
    const comm: Comm = {
      id,
      target,
      send: (data) => {
        if (open.get(id)?.comm === comm) publish("comm_msg", { comm_id: id, data });
      },
      close: (data = {}) => {
        if (open.get(id)?.comm !== comm) return;
        open.delete(id);
        publish("comm_close", { comm_id: id, data });
      },
    };
    return comm;
  };

  const guarded = (target: string, work: () => unknown): void => {
    const where = `A message of the comm target ${JSON.stringify(target)} failed`;
    try {
      const result = work();
      if (result instanceof Promise) result.catch((error: unknown) => report(error, where));
    } catch (error) {
      report(error, where);
    }
  };

  const accept = (id: string, target: string, data: Json): void => {
    if (open.has(id)) return;
    const take = targets.get(target);
    if (take === undefined) {
      // The protocol requires such a comm to be closed at once.
      publish("comm_close", { comm_id: id, data: {} });
      return;
    }
    const comm = commOf(id, target);
    const entry: OpenComm = { comm, handlers: {}, inCell: (handler) => handler() };
    open.set(id, entry);
    guarded(target, () => {
      try {
        entry.handlers = take(comm, data);
      } catch (error) {
        comm.close();
        throw error;
      }
    });
  };

  return {
    /** Sets what accepts the comms that the front end opens for `target`. */
    register: (target: string, take: CommTarget): void => void targets.set(target, take),
    open(
      target: string,
      data: Content,
      handlers: CommHandlers,
      { id = crypto.randomUUID(), metadata }: CommOpenOptions = {},
    ): Comm {
      const comm = commOf(id, target);
      open.set(id, { comm, handlers, inCell: inCell() });
      publish("comm_open", { comm_id: id, target_name: target, data }, metadata);
      return comm;
    },
    /** Handles `comm_open`, `comm_msg` or `comm_close`. Messages for unknown comms and malformed ones are ignored. */
    receive(type: string, content: Content): void {
      const { comm_id: id, target_name: target, data = {} } = content;
      if (typeof id !== "string") return;
      if (type === "comm_open") accept(id, String(target), data);
      const found = open.get(id);
      if (found === undefined) return;
      if (type === "comm_msg") guarded(found.comm.target, () => found.inCell(() => found.handlers.message?.(data)));
      if (type === "comm_close") {
        open.delete(id);
        guarded(found.comm.target, () => found.inCell(() => found.handlers.close?.(data)));
      }
    },
    /** The content of `comm_info_reply`: the open comms, of one target if it is passed. */
    info(target?: Json): Content {
      const all = [...open.values()].filter(({ comm }) => typeof target !== "string" || comm.target === target);
      const comms = Object.fromEntries(all.map(({ comm }) => [comm.id, { target_name: comm.target }]));
      return { status: "ok", comms };
    },
  };
}

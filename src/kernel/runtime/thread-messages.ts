import type { Content, Message } from "../protocol/message.js";

/** The channels on which a kernel handles requests. */
export type RequestChannel = "shell" | "control";

/** Messages from the socket thread to the thread that runs cells. */
export type ToCells =
  | { readonly kind: "request"; readonly channel: RequestChannel; readonly origin: number; readonly message: Message }
  /** Sent repeatedly, with one number, until it is acknowledged. */
  | { readonly kind: "interrupt"; readonly id: number }
  | { readonly kind: "shutdown"; readonly restart: boolean }
  /** All output has been sent: the process may end. */
  | { readonly kind: "exit" };

/** Messages from the thread that runs cells to the socket thread. */
export type ToSockets =
  | { readonly kind: "publish"; readonly message: Message }
  | { readonly kind: "reply"; readonly channel: RequestChannel; readonly origin: number; readonly message: Message }
  /** The interrupt was acknowledged: the thread is not stuck. */
  | { readonly kind: "interrupted" }
  | { readonly kind: "closed" }
  /** Ask the client of `origin` for a line of input; it is delivered through the shared buffer. */
  | { readonly kind: "input"; readonly origin: number; readonly message: Message };

/** The data with which the socket thread is started. */
export interface SocketThreadData {
  readonly role: "sockets";
  readonly connectionFile: string;
  /** Content of `kernel_info_reply`, which the control channel sends even while a cell runs. */
  readonly kernelInfo: Content;
  /** The memory through which a line of input reaches the thread that runs cells. */
  readonly input: SharedArrayBuffer;
  /** What the thread that runs cells runs, and the interrupt that it acknowledged. */
  readonly interrupts: SharedArrayBuffer;
}

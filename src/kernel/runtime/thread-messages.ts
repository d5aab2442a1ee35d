import type { Content, Message } from "../protocol/message.js";

/** The channels on which a kernel answers requests. */
export type RequestChannel = "shell" | "control";

/** Messages from the socket thread to the thread that runs cells. */
export type ToCells =
  | { readonly kind: "request"; readonly channel: RequestChannel; readonly origin: number; readonly message: Message }
  | { readonly kind: "interrupt" }
  | { readonly kind: "shutdown"; readonly restart: boolean }
  /** Every byte is out: the process may end. */
  | { readonly kind: "exit" };

/** Messages from the thread that runs cells to the socket thread. */
export type ToSockets =
  | { readonly kind: "publish"; readonly message: Message }
  | { readonly kind: "reply"; readonly channel: RequestChannel; readonly origin: number; readonly message: Message }
  /** The interrupt was seen: the thread is not stuck. */
  | { readonly kind: "interrupted" }
  | { readonly kind: "closed" };

/** What the thread with the sockets is started with. */
export interface SocketThreadData {
  readonly role: "sockets";
  readonly connectionFile: string;
  /** Content of `kernel_info_reply`, which the control channel answers even while a cell runs. */
  readonly kernelInfo: Content;
}

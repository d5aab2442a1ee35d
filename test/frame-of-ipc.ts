import { tableFromIPCBytes } from "../src/columns/ipc/read/read.js";
import { Frame } from "../src/frame/frame.js";

/** What `Frame.fromArrow(bytes)` resolves to, at once. */
export const frameOfIPC = (bytes: Uint8Array | ArrayBuffer): Frame => Frame.from(tableFromIPCBytes(bytes));

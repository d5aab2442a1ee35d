import type * as node from "../node/sessions.js";
import { binary } from "../sessions.bin";
import { base64Bytes } from "./bytes.js";

export const packedSessions: typeof node.packedSessions = () => base64Bytes(binary);

import type { CellStyle } from "./row-style.js";

/** 1 for each printable ASCII character that a format leaves as it is, alone and among others. */
export function plainBytes(spell: CellStyle["spell"]): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => {
    const text = `x${String.fromCharCode(code)}`;
    return code >= 0x20 && code < 0x7f && spell(text) === text ? 1 : 0;
  });
}

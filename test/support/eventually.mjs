import { setTimeout as sleep } from "node:timers/promises";

/**
 * Reads a state until it holds: pages and processes are drawn or end later than they are asked.
 *
 * @returns what was read last, and whether it holds
 */
export async function eventually(read, holds, ms = 30_000) {
  for (const end = Date.now() + ms; ; await sleep(50)) {
    const last = Date.now() >= end;
    try {
      const value = await read();
      if (holds(value)) return { value, holds: true };
      if (last) return { value, holds: false };
    } catch (error) {
      if (last || /has been closed/.test(String(error))) throw error;
    }
  }
}

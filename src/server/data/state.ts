import { cellText } from "../../columns/arrow/vector-values.js";
import type { Engine } from "../../engine/contract/engine.js";

/** Reads a value, stored as JSON under a key, that a service keeps in its database file. */
export async function readState<T>(engine: Engine, key: string): Promise<T | undefined> {
  await engine.query("CREATE TABLE IF NOT EXISTS arrowbook_state (key VARCHAR PRIMARY KEY, value VARCHAR)");
  const found = await engine.query("SELECT value FROM arrowbook_state WHERE key = $1", [key]);
  const column = found.getChildAt(0);
  const text = column && found.numRows > 0 ? cellText(column, 0) : null;
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** Stores `value` under `key`. */
export async function writeState(engine: Engine, key: string, value: unknown): Promise<void> {
  await engine.query("INSERT OR REPLACE INTO arrowbook_state VALUES ($1, $2)", [key, JSON.stringify(value)]);
}

import { cellText } from "../../columns/arrow/vector-values.js";
import { textRows } from "../../columns/build/text-rows.js";
import type { Engine } from "../../engine/contract/engine.js";

export type SavedState = ReturnType<typeof savedState>;

const TABLE = "arrowbook_service";
const COLUMNS = [
  { name: "name", type: "String" },
  { name: "value", type: "String" },
] as const;

/** Values, stored as JSON under a key, that a service keeps in its engine. */
export function savedState(engine: Engine) {
  let last: Promise<unknown> = Promise.resolve();
  return {
    async read<T>(key: string): Promise<T | undefined> {
      if (!(await engine.tables()).includes(TABLE)) return undefined;
      const found = await engine.query(`SELECT value FROM ${TABLE} WHERE name = $1`, [key]);
      const column = found.getChildAt(0);
      const text = column && found.numRows > 0 ? cellText(column, 0) : null;
      return text === null ? undefined : JSON.parse(text);
    },
    /** Stores `value` under `key`, after earlier writes. */
    write(key: string, value: unknown): Promise<void> {
      const rows = textRows([[key, JSON.stringify(value)]], COLUMNS).table();
      const written = last.then(async () => {
        await engine.load(TABLE, rows, { mode: "upsert", key: "name" });
      });
      last = written.catch(() => undefined);
      return written;
    },
  };
}

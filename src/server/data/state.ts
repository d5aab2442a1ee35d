import { cellText } from "../../columns/arrow/vector-values.js";
import { textTable } from "../../columns/build/from-text-rows.js";
import type { Engine } from "../../engine/contract/engine.js";

/** Values, stored as JSON under a key, that a service keeps in its engine. */
export interface SavedState {
  read<T>(key: string): Promise<T | undefined>;
  /** Stores `value` under `key`, after earlier writes. */
  write(key: string, value: unknown): Promise<void>;
}

const TABLE = "arrowbook_service";
const COLUMNS = [
  { name: "name", type: "String" },
  { name: "value", type: "String" },
] as const;

/** The state of a service in an engine. */
export function savedState(engine: Engine): SavedState {
  let last: Promise<unknown> = Promise.resolve();
  return {
    async read<T>(key: string) {
      if (!(await engine.tables()).includes(TABLE)) return undefined;
      const found = await engine.query(`SELECT value FROM ${TABLE} WHERE name = $1`, [key]);
      const column = found.getChildAt(0);
      const text = column && found.numRows > 0 ? cellText(column, 0) : null;
      return text === null ? undefined : (JSON.parse(text) as T);
    },
    write(key, value) {
      const rows = textTable([[key, JSON.stringify(value)]], COLUMNS);
      const written = last.then(async () => {
        await engine.load(TABLE, rows, { mode: "upsert", key: "name" });
      });
      last = written.catch(() => undefined);
      return written;
    },
  };
}

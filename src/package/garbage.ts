import { builtin } from "./builtin.js";

/** Collects garbage: all of it, or only what is young, which takes less than a millisecond. */
type Collect = (options?: { readonly type: "minor" }) => void;

let known: Collect | null | undefined;

/** V8's function that collects garbage; undefined where the engine does not expose it. */
export function garbageCollector(): Collect | undefined {
  known ??= (globalThis.gc as Collect | undefined) ?? exposed() ?? null;
  return known ?? undefined;
}

/** Only contexts that begin while the flag is set have the function. */
function exposed(): Collect | undefined {
  const { setFlagsFromString } = builtin("node:v8");
  try {
    setFlagsFromString("--expose-gc");
    return builtin("node:vm").runInNewContext("gc");
  } catch {
    return undefined;
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}

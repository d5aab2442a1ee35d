import { inspect } from "node:util";
import { type Bundle, elementBundle, JUPYTER_DISPLAY } from "../../display/base/show.js";

const SHOWN_ITEMS = 100;

/**
 * The MIME bundle of a cell's last value: always text, and what the value provides through
 * `Symbol.for("Jupyter.display")`, awaited if it is a promise. Arrow tables, Danfo frames and arrays of rows are
 * rendered as tables. An empty bundle is not shown.
 */
export async function resultBundle(value: unknown): Promise<Bundle> {
  const bundle = await (ownBundle(value) ?? elementBundle(value) ?? foreignBundle(value));
  if (typeof bundle !== "object" || bundle === null) return { "text/plain": plainText(value) };
  return "text/plain" in bundle || Object.keys(bundle).length === 0
    ? bundle
    : { ...bundle, "text/plain": plainText(value) };
}

/** Formats a value as `console.log` does, without colours and with limits on depth and length. */
function plainText(value: unknown): string {
  return typeof value === "string" ? value : inspect(value, { colors: false, depth: 2, maxArrayLength: SHOWN_ITEMS });
}

type Eventual = Bundle | undefined | Promise<Bundle | undefined>;

function ownBundle(value: unknown): Eventual {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  const display = (value as { [JUPYTER_DISPLAY]?: unknown })[JUPYTER_DISPLAY];
  return typeof display === "function" ? (display.call(value) as Eventual) : undefined;
}

/** Renders tables of other libraries. The rendering code is loaded only for values that may be one. */
function foreignBundle(value: unknown): Eventual {
  if (typeof value !== "object" || value === null) return undefined;
  const rows = Array.isArray(value) && typeof value[0] === "object" && value[0] !== null;
  if (!rows && !("$data" in value) && !("schema" in value && "batches" in value)) return undefined;
  return import("../../display/table/foreign.js").then(({ bundleOf }) => bundleOf(value));
}

import { type Table, Utf8, vectorFromArray } from "../../columns/arrow/arrow.js";
import { keyOf } from "../../columns/arrow/key.js";
import { vectorToStrings } from "../../columns/arrow/vector-values.js";
import type { Channel } from "./parts/channel.js";

/**
 * The default colour channel for the series of a table: the columns of its key that are not dates and have several
 * values, combined; undefined if the key does not contain x or identifies only one series.
 *
 * @param taken names of columns with another use in the chart
 */
export function seriesColor(
  table: Table,
  channels: readonly Channel[],
  x: Channel | undefined,
  taken: ReadonlySet<string | undefined>,
): Channel | undefined {
  const key = keyOf(table.schema);
  if (x?.scale !== "time" || !key.includes(x.name)) return undefined;
  const columns = channels.filter(({ name, scale }) => key.includes(name) && scale !== "time" && !taken.has(name));
  const varied = columns
    .map((channel) => ({ channel, texts: vectorToStrings(channel.vector) }))
    .filter(({ texts }) => texts.some((text) => text !== texts[0]));
  if (varied.length <= 1) return varied[0]?.channel;
  const joined = varied[0].texts.map((_, row) => varied.map(({ texts }) => texts[row] ?? "null").join(" "));
  const name = varied.map(({ channel }) => channel.name).join(", ");
  return { name, vector: vectorFromArray(joined, new Utf8()), scale: "text", days: false };
}

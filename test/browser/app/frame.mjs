// What a page does with arrowbook/frame alone: readers, verbs and series. It returns cells, and what it lacks.
import { csvBatches, Frame } from "arrowbook/frame";

const csv = "day,city,rain\n2024-01-02,Oslo,1.5\n2024-01-03,Oslo,0\n2024-01-04,Rome,12.25\n2024-01-05,Rome,\n";

const codeOf = async (call) => {
  try {
    await call();
    return "none";
  } catch (error) {
    return error.code;
  }
};

/** Reads one format: `csv`, `lines`, `arrow` or `parquet`. */
export async function read(format, bytes) {
  if (format === "arrow") return Frame.fromArrow(bytes);
  if (format === "parquet") return Frame.fromParquet(new Blob([bytes]));
  if (format === "lines") return Frame.fromJSONLines(new TextEncoder().encode('{"day":"2024-01-02","rain":1.50}\n'));
  for await (const batch of csvBatches(new Blob([csv]))) if (batch.numRows !== 4) throw new Error("rows");
  return Frame.fromCSV(new Blob([csv]));
}

export async function work(format, bytes) {
  const frame = await read(format, bytes);
  const [first, last] = [frame.columns[0].name, frame.columns[frame.columns.length - 1].name];
  const added = frame.with({ twice: (row) => Number(row[last] ?? 0) * 2 });
  return [
    added.sort([last, "desc"]).toCSV(),
    added
      .filter((row) => row[last] !== null)
      .groupBy(first)
      .agg({ twice: "sum" })
      .toArray(),
    first === "day" ? added.select(first, "twice").rolling(2, "mean").toArray() : added.drop("twice").toArray(),
    String(added.describe()),
  ].map((value) => JSON.stringify(value));
}

export async function lacking() {
  const frame = Frame.fromRows([{ a: 1, b: 2 }]);
  const calls = {
    plot: () => frame.plot({ x: "a", y: "b" }).spec,
    html: () => frame.toHTML(),
    explore: () => frame.explore(),
    danfo: () => frame.toDanfo(),
    json: () => Frame.fromJSON("[]"),
  };
  const codes = {};
  for (const [name, call] of Object.entries(calls)) codes[name] = await codeOf(call);
  return { codes, plot: calls.plot, html: calls.html };
}

globalThis.app = { work, lacking };

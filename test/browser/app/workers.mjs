// Reads long files in a page, by Web Workers where it may start them.
import { Frame } from "arrowbook/frame";

const DECLARED = [
  { name: "n", type: "Integer" },
  { name: "price", type: "BigDecimal(12,4)" },
  { name: "day", type: "Date" },
  { name: "city", type: "String" },
];

/** CSV of many rows with texts in quotes that hold line feeds; the row `bad` has a cell that does not fit. */
export function csvOf(rows, bad = -1) {
  const cities = ["Oslo", "Rome", '"New\nYork"', '"say ""hi"""', ""];
  const lines = ["n,price,day,city"];
  for (let i = 0; i < rows; i++) {
    const day = `20${String(10 + (i % 14))}-0${1 + (i % 9)}-1${i % 10}`;
    lines.push(`${i === bad ? "bad" : i},${(i * 7919) % 100_003}.${String(1000 + (i % 9000))},${day},${cities[i % 5]}`);
  }
  return `${lines.join("\n")}\n`;
}

/** A number that differs where a cell does, and how many rows have it. */
export function digestOf(frame) {
  let sum = 0;
  for (const row of frame.rows()) {
    for (const char of `${row.n}|${row.price}|${row.day}|${row.city}`)
      sum = (Math.imul(sum, 31) + char.charCodeAt(0)) | 0;
  }
  return `${frame.numRows} ${sum}`;
}

export const sumsOf = (frame) =>
  ["a", "b", "c"]
    .map((name) => Array.from(frame.column(name)).reduce((sum, x, i) => sum + x * (1 + (i % 7)), 0))
    .join(" ");

export async function readCsv(rows, bad) {
  const file = new Blob([csvOf(rows, bad)]);
  try {
    const times = [];
    let frame;
    for (let i = 0; i < (bad === undefined ? 2 : 1); i++) {
      const start = performance.now();
      frame = await Frame.fromCSV(file, { columns: DECLARED });
      times.push(performance.now() - start);
    }
    return { ms: Math.min(...times), bytes: file.size, digest: digestOf(frame) };
  } catch (error) {
    return { error: `${error.name} ${error.code} ${error.row} ${error.column}` };
  }
}

export async function readParquet(address) {
  const file = await (await fetch(address)).blob();
  globalThis.replies.clear();
  const start = performance.now();
  const frame = await Frame.fromParquet(file);
  return { ms: performance.now() - start, digest: sumsOf(frame), workers: globalThis.replies.size };
}

globalThis.app = { readCsv, readParquet };

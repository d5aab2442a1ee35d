// Parquet beside pyarrow: random files of pyarrow read here, files written here read there, and files whose columns
// pyarrow replaced under the metadata of this package. Cells are compared by their digits or bits.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { DateUnit, TimeUnit, Type } from "apache-arrow";

const here = fileURLToPath(new URL(".", import.meta.url));
/** Every thirtieth has 70,000 rows. */
const FILES = Number(process.env.ARROWBOOK_TABLES ?? 60);

/** Compares files in both directions; `check` takes what was compared, whether it holds, and why not. */
export async function compareParquet(python, { Frame }, check) {
  const child = spawn(python, [join(here, "parquet.py")], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (request) => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`parquet.py ended at ${JSON.stringify(request)}; its message is above.`);
    return JSON.parse(value);
  };
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-parquet-"));
  try {
    for (let seed = 1; seed <= FILES; seed++) {
      const { path, cells, isInt96, options } = await ask({ write: seed });
      const frame = await Frame.fromParquet(path).catch((error) => error);
      const why = frame instanceof Error ? frame.message : differenceOf(cellsOf(frame), cells, isInt96);
      if (!check(`Parquet file ${seed} of pyarrow`, why === undefined, `${why} (${options})`)) continue;
      const flat = frame.select(
        ...frame.table.schema.fields.filter(({ type }) => isKept(type)).map(({ name }) => name),
      );
      if (flat.columns.length === 0) continue;
      const ours = join(folder, "ours.parquet");
      await flat.toParquet(ours, { compression: seed % 2 === 0 ? "snappy" : "none" });
      const back = await ask({ read: ours, columns: flat.columns.map(({ name }) => name) });
      const lost = differenceOf(cellsOf(flat), back.cells);
      check(`Parquet file ${seed} of this package`, lost === undefined, lost);
    }
    await compareReplaced(Frame, join(folder, "replaced"), ask, check);
  } finally {
    child.stdin.end();
    rmSync(folder, { recursive: true });
  }
}

const TYPES = { double: "double", string: "String", "decimal128(30, 1)": "BigDecimal(30,1)" };

/** The type of a replaced column decides; the metadata only names what text means. */
async function compareReplaced(Frame, path, ask, check) {
  const columns = ["String", "Text", "Date", "DateTime", "BigDecimal(15,4)", "Integer", "double", "Boolean"];
  const row = ["a", "b", "2024-02-29", "2024-02-29T01:02:03Z", "1.2500", 7, 0.5, true];
  const rows = [row, row].map((cells) => Object.fromEntries(cells.map((cell, i) => [`c${i}`, cell])));
  const specs = columns.map((type, i) => ({ name: `c${i}`, type }));
  const frame = Frame.fromRows(rows, specs);
  await frame.toParquet(`${path}.parquet`, { compression: "none" });
  await frame.toArrow(`${path}.arrow`);
  for (const { path: changed, column, type, cells } of await ask({ replace: path })) {
    const found = await (changed.endsWith(".arrow") ? Frame.fromArrow(changed) : Frame.fromParquet(changed));
    const wanted = type === "string" && columns[column] === "Text" ? "Text" : TYPES[type];
    const title = found.columns[column].type;
    const why = differenceOf(cellsOf(found), cells) ?? (title === wanted ? undefined : `is ${title}`);
    check(`${columns[column]} replaced by ${type} in ${changed}`, why === undefined, why);
  }
}

/** Types that are written as they are: not nested columns, bytes, and decimals beyond 38 digits. */
const isKept = (type) =>
  ![Type.List, Type.Struct, Type.Map, Type.Binary].includes(type.typeId) && !((type.precision ?? 0) > 38);

function cellsOf({ table }) {
  const columns = table.schema.fields.map(({ name }, c) => {
    const cells = table.batches.flatMap((batch) => {
      const data = batch.data.children[c];
      return Array.from({ length: data.length }, (_, i) => cellOf(data, i));
    });
    return [name, cells];
  });
  return Object.fromEntries(columns);
}

const UNITS = {
  [TimeUnit.SECOND]: "s",
  [TimeUnit.MILLISECOND]: "ms",
  [TimeUnit.MICROSECOND]: "us",
  [TimeUnit.NANOSECOND]: "ns",
};

/** As `text` of parquet.py. */
function cellOf(data, i) {
  if (!data.getValid(i)) return null;
  const { type, values, valueOffsets: offsets, children } = data;
  const at = i + data.offset * Number(type.typeId === Type.Bool);
  switch (type.typeId) {
    case Type.Timestamp:
      return `${values[i]}${UNITS[type.unit]}${type.timezone ? "Z" : ""}`;
    case Type.Time:
      return `${values[i]}${UNITS[type.unit]}`;
    case Type.Date:
      return type.unit === DateUnit.DAY ? `${values[i]}d` : `${values[i]}ms`;
    case Type.Decimal:
      return decimalText(values.subarray((i * type.bitWidth) / 32, ((i + 1) * type.bitWidth) / 32), type.scale);
    case Type.Float: {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleBE(values[i]);
      return bytes.toString("hex");
    }
    case Type.Bool:
      return String((values[at >> 3] & (1 << (at & 7))) !== 0);
    case Type.Dictionary:
      return data.dictionary.get(values[i]);
    case Type.Utf8:
      return Buffer.from(values.subarray(offsets[i], offsets[i + 1])).toString();
    case Type.Binary:
      return Buffer.from(values.subarray(offsets[i], offsets[i + 1])).toString("hex");
    case Type.List:
    case Type.Map:
      return Array.from({ length: offsets[i + 1] - offsets[i] }, (_, k) => cellOf(children[0], offsets[i] + k));
    case Type.Struct:
      return children.map((child) => cellOf(child, i));
    default:
      return String(values[i]);
  }
}

function decimalText(words, scale) {
  let value = 0n;
  for (let k = words.length - 1; k >= 0; k--) value = (value << 32n) | BigInt(words[k] >>> 0);
  value = BigInt.asIntN(words.length * 32, value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, "0");
  const point = digits.length - scale;
  return `${value < 0n ? "-" : ""}${digits.slice(0, point)}${scale === 0 ? "" : "."}${digits.slice(point)}`;
}

/** @param anyZone timestamps of 96 bits have no zone in pyarrow, and are in UTC here, as Spark and Impala write them */
function differenceOf(ours, theirs, anyZone = false) {
  const text = (cell) => (anyZone ? JSON.stringify(cell)?.replaceAll('nsZ"', 'ns"') : JSON.stringify(cell));
  for (const [name, cells] of Object.entries(theirs)) {
    const found = ours[name] ?? [];
    if (found.length !== cells.length) return `column ${name} has ${found.length} rows, not ${cells.length}`;
    const i = cells.findIndex((cell, k) => text(cell) !== text(found[k]));
    if (i >= 0) return `row ${i} of ${name} is ${text(found[i])}, not ${text(cells[i])}`;
  }
  return undefined;
}

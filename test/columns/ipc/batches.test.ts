import { execFileSync } from "node:child_process";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tableFromArrays } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { cellTexts } from "../../../src/columns/arrow/cell-batch.js";
import { readMessage } from "../../../src/columns/ipc/read/message.js";
import { readArrow, tableFromIPCBytes } from "../../../src/columns/ipc/read/read.js";
import { fromBytes } from "../../../src/columns/ipc/read/reading.js";
import { tableToIPCBytes, tableToIPCFileBytes } from "../../../src/columns/ipc/stream.js";
import { DataError, FileError, InputError } from "../../../src/errors/errors.js";
import { arrowBatches, Frame } from "../../../src/index.js";
import { packageRoot } from "../../../src/package/package-root.js";
import { arrowCorpus, compressedStreams, otherTypes, smallStream } from "../../fuzz/arrow-corpus.js";
import { mutateBytes } from "../../fuzz/mutate.js";
import { Random } from "../../fuzz/random.js";
import { columnSpecs } from "../../support/column-specs.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { longIt, runs } from "../../support/whole.js";
import { textsOf } from "../rows.js";

const folder = temporaryFolder("ipc");
const path = join(folder, "table.arrow");

type Rows = (string | null)[][];

async function rowsOf(source: string | Uint8Array): Promise<Rows> {
  const rows: Rows = [];
  for await (const batch of arrowBatches(source, { onProgress: false })) rows.push(...cellTexts(batch));
  return rows;
}

/** What a read gives: cells, or the error without the cause. */
async function outcomeOf(read: () => Rows | Promise<Rows>): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    const { name, message, code, offset, column, row } = error as Record<string, unknown>;
    return { name, message, code, offset, column, row };
  }
}

const corpus = [...arrowCorpus(), ...compressedStreams()];

describe("a file that is read by range", () => {
  it("has the cells of its bytes", async () => {
    for (const bytes of corpus) {
      const expected = textsOf(tableFromIPCBytes(bytes));
      writeFileSync(path, bytes);
      expect(textsOf(await readArrow(path))).toEqual(expected);
      expect(await rowsOf(path)).toEqual(expected);
      expect(await rowsOf(bytes)).toEqual(expected);
    }
  });

  it("gives the same cells or the same error as its bytes when these are damaged or cut", async () => {
    const outcomes = { read: 0, refused: 0 };
    for (let seed = 0; seed < runs(400); seed++) {
      const random = new Random(seed);
      const whole = corpus[seed % corpus.length];
      const bytes = seed % 5 === 0 ? whole.slice(0, random.below(whole.length)) : mutateBytes(whole, random);
      writeFileSync(path, bytes);
      const expected = await outcomeOf(() => textsOf(tableFromIPCBytes(bytes)));
      expect(await outcomeOf(async () => textsOf(await readArrow(path))), `${seed}`).toEqual(expected);
      expect(await outcomeOf(() => rowsOf(path)), `${seed}`).toEqual(expected);
      outcomes[Array.isArray(expected) ? "read" : "refused"]++;
    }
    expect(outcomes.read).toBeGreaterThan(runs(20));
    expect(outcomes.refused).toBeGreaterThan(runs(100));
  });

  it("may have batches longer and shorter than what is read together", async () => {
    const rows = (count: number, from: number) =>
      Frame.fromRows(
        Array.from({ length: count }, (_, i) => ({ n: i + from, t: `t${from}` })),
        columnSpecs({ n: "Integer", t: "String" }),
      );
    const frame = Frame.concat([rows(3, 0), rows(30_000, 3), rows(1, 30_003), rows(9_000, 30_004)]);
    for (const bytes of [frame.toIPC(), tableToIPCFileBytes(frame.table)]) {
      writeFileSync(path, bytes);
      const numbers: number[] = [];
      for await (const batch of arrowBatches(path)) numbers.push(...[...(batch.getChildAt(0) ?? [])].map(Number));
      expect(numbers).toEqual(Array.from({ length: 39_004 }, (_, i) => i));
      expect((await Frame.fromArrow(path)).column("t").toStrings()).toEqual(frame.column("t").toStrings());
    }
  });

  it("without batches gives one without rows", async () => {
    const bytes = tableToIPCFileBytes(otherTypes(0));
    const batches = [];
    for await (const batch of arrowBatches(bytes)) batches.push(batch);
    expect(batches.map((batch) => [batch.numRows, batch.numCols])).toEqual([[0, otherTypes(0).numCols]]);
  });

  it("that is missing, is not Arrow or shrinks says so", async () => {
    await expect(rowsOf(join(folder, "missing"))).rejects.toThrow(FileError);
    await expect(rowsOf(folder)).rejects.toThrow(FileError);
    await expect(rowsOf(new TextEncoder().encode("ticker,close\nA,1\n"))).rejects.toThrow(DataError);
    await expect(rowsOf(new Uint8Array(0))).rejects.toMatchObject({ code: "BadArrow", offset: 0 });
    expect(() => arrowBatches(5 as never)).toThrow(InputError);
    expect(() => arrowBatches(path, { colums: [] } as never)).toThrow(InputError);
    const long = tableFromArrays({ x: new Float64Array(50_000) });
    writeFileSync(path, tableToIPCBytes(long.concat(long)));
    const batches = arrowBatches(path);
    await batches.next();
    truncateSync(path, 1_000);
    await expect(batches.next()).rejects.toMatchObject({ code: "FileChanged" });
  });

  it("stops, and closes the file, where the loop does", async () => {
    writeFileSync(path, smallStream());
    for await (const batch of arrowBatches(path)) {
      expect(batch.numRows).toBe(3);
      break;
    }
    rmSync(path);
  });

  it("with many zeros between its messages is read at once", () => {
    const whole = tableToIPCFileBytes(otherTypes(1, ["small"]));
    const footer = new DataView(whole.buffer, whole.byteOffset).getInt32(whole.length - 10, true);
    const end = whole.length - 10 - footer;
    const stream = tableToIPCBytes(otherTypes(1, ["small"]));
    const schema = stream.subarray(0, fromBytes(readMessage(0, stream.length), stream).end);
    const parts = [whole.subarray(0, end), new Uint8Array(4_000_000), schema, whole.subarray(end)];
    expect(textsOf(tableFromIPCBytes(new Uint8Array(Buffer.concat(parts))))).toEqual(textsOf(tableFromIPCBytes(whole)));
  });
});

longIt("a long file is read through batches in bounded memory", () => {
  const script = `
    import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
    import { tableFromArrays, tableToIPC } from "apache-arrow";
    import { arrowBatches } from "arrowbook";
    const a = Float64Array.from({ length: 65536 }, (_, i) => i);
    const bytes = tableToIPC(tableFromArrays({ a, b: new Float64Array(65536) }), "stream");
    // The schema, then the one batch again and again, then the end mark.
    const start = 8 + new DataView(bytes.buffer, bytes.byteOffset).getInt32(4, true);
    const file = openSync(process.argv[1], "w");
    writeSync(file, bytes.subarray(0, start));
    for (let i = 0; i < 320; i++) writeSync(file, bytes.subarray(start, bytes.length - 8));
    writeSync(file, bytes.subarray(bytes.length - 8));
    closeSync(file);
    let rows = 0, sum = 0;
    for await (const batch of arrowBatches(process.argv[1])) {
      rows += batch.numRows;
      sum += batch.data.children[0].values[65535];
    }
    const { size } = statSync(process.argv[1]);
    // On Linux maxRSS begins with that of the process that started this one.
    const own = existsSync("/proc/self/status") && /VmHWM:\\s*(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    console.log(JSON.stringify({ rows, sum, size, peak: (Number(own) || process.resourceUsage().maxRSS) * 1024 }));`;
  const long = join(folder, "long.arrows");
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script, long], { cwd: packageRoot() });
  rmSync(long);
  const { rows, sum, size, peak } = JSON.parse(printed.toString()) as Record<string, number>;
  expect([rows, sum]).toEqual([320 * 65_536, 320 * 65_535]);
  expect(size).toBeGreaterThan(300e6);
  expect(peak).toBeLessThan(250e6);
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parquetMetadata } from "hyparquet";
import { expect, it } from "vitest";
import { duckdb } from "../../src/duckdb.js";
import { Frame } from "../../src/index.js";
import { rangeServer } from "../support/range-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const ROWS = 80_000_000;
const TICKER = 10_000;

it("one ticker of a table of 80 million rows takes 8 requests at most, and the bytes of its row groups", async () => {
  const path = join(temporaryFolder("remote"), "prices.parquet");
  const engine = await duckdb(undefined, { threads: 1, memoryLimit: "1GB" });
  await engine.query(`COPY (
    SELECT 'T' || lpad((i // ${TICKER})::VARCHAR, 4, '0') AS ticker, (hash(i) % 16777216)::INTEGER AS price
    FROM range(${ROWS}) AS numbers(i)
  ) TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 1048576)`);
  await engine.close();
  const bytes = readFileSync(path);
  const { row_groups: groups } = parquetMetadata(bytes.buffer as ArrayBuffer);
  const server = await rangeServer({ "/prices.parquet": bytes });
  try {
    for (const ticker of ["T0000", "T0314", "T7999"]) {
      server.reset();
      server.state.etag = '"one"';
      const frame = await Frame.fromParquet(`${server.url}/prices.parquet?${server.run}`, { where: { ticker } });
      expect(frame.numRows).toBe(TICKER);
      const own = groups.filter(({ columns }) => {
        const { min_value: least = "", max_value: most = "" } = columns[0]?.meta_data?.statistics ?? {};
        return least <= ticker && ticker <= most;
      });
      const needed = own.flatMap(({ columns }) => columns.map(({ meta_data: meta }) => meta?.total_compressed_size));
      const sent = server.asked.reduce((sum, one) => sum + one.bytes, 0);
      expect(server.asked.length).toBeLessThanOrEqual(8);
      expect(sent).toBeLessThanOrEqual(1.05 * needed.reduce((sum: number, size) => sum + Number(size), 0));
    }
  } finally {
    await server.close();
  }
});

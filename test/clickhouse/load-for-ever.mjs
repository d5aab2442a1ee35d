// Begins a load and never ends it, to be killed. Arguments: the address, the table. Run by abandoned.test.ts.
import { tableFromArrays } from "apache-arrow";
import { clickhouse } from "../../dist/esm/clickhouse.js";

const [address, name] = process.argv.slice(2);
const engine = await clickhouse(address);
async function* rows() {
  yield* tableFromArrays({ k: new Float64Array(300_000) }).batches;
  setInterval(() => undefined, 1_000);
  await new Promise(() => undefined);
}
await engine.load(name, rows());

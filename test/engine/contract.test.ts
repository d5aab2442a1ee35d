import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { engineContract } from "./contract.js";

engineContract({
  name: "DuckDB",
  open: () => duckdbEngine(),
  long: "SELECT i, i::VARCHAR AS t FROM range(200000) r(i)",
  endless: "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range * b.range % 7 = 8",
  allTables: "SELECT table_name FROM duckdb_tables()",
  runs: 15,
});

/**
 * The table function over Parquet files: their own columns only, whatever characters the path has. The engine would
 * take `[a]` in a path for a pattern, and `ticker=AAA` for a column that replaces the one in the file.
 *
 * @param pattern of file names below the path, such as `/*.parquet`
 */
export function parquetScan(path: string, pattern = ""): string {
  const literal = path.replace(/[[*?]/g, "[$&]");
  return `read_parquet('${`${literal}${pattern}`.replaceAll("'", "''")}', hive_partitioning = false)`;
}

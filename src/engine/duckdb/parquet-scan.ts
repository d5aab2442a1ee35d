/**
 * The table function over Parquet files: their own columns only, whatever characters the path has. The engine would
 * take `[a]` in a path for a pattern, and `ticker=AAA` for a column that replaces the one in the file.
 *
 * @param path of a file, or of several
 * @param pattern of file names below the path, such as `/*.parquet`
 */
export function parquetScan(path: string | readonly string[], pattern = ""): string {
  const literals = [path].flat().map((each) => {
    const literal = each.replace(/[[*?]/g, "[$&]");
    return `'${`${literal}${pattern}`.replaceAll("'", "''")}'`;
  });
  return `read_parquet([${literals.join(", ")}], hive_partitioning = false)`;
}

import { DataError, FileError } from "../../../errors/errors.js";
import { fileError } from "../../../errors/file-error.js";
import { join, readdir, relative, sep, stat } from "../../../platform/node/files.js";

const PARQUET = /\.(?:parquet|parq|pq)$/i;

/**
 * The path of a file, or the paths of all Parquet files in a folder and its subfolders, in order of their names. Names
 * that begin with `_` or `.` are passed over: engines keep notes in them.
 *
 * @throws {FileError} NotAFile for a folder without Parquet files
 * @throws {DataError} UnsupportedParquet where names of subfolders hold a column
 */
export async function parquetFiles(path: string): Promise<string[]> {
  const info = await stat(path).catch((cause: unknown) => Promise.reject(fileError(path, "read", cause)));
  if (!info.isDirectory()) return [path];
  const names = await readdir(path, { recursive: true }).catch((cause: unknown) =>
    Promise.reject(fileError(path, "read", cause)),
  );
  const files = names
    .filter((name) => PARQUET.test(name) && !name.split(sep).some((part) => /^[_.]/.test(part)))
    .sort()
    .map((name) => join(path, name));
  if (files.length === 0) {
    throw new FileError(`${path} holds no Parquet files.`, {
      code: "NotAFile",
      hint: "Their names end in .parquet.",
    });
  }
  refusePartitions(path, files);
  return files;
}

/** @throws {DataError} UnsupportedParquet for files in folders whose names hold a column */
export function refusePartitions(path: string, files: readonly string[]): void {
  const partition = files
    .flatMap((file) => relative(path, file).split(sep).slice(0, -1))
    .find((part) => part.includes("="));
  if (partition === undefined) return;
  const column = partition.slice(0, partition.indexOf("="));
  throw new DataError(
    `${path} is partitioned: the column ${JSON.stringify(column)} is in the names of its folders alone.`,
    {
      code: "UnsupportedParquet",
      column,
      hint: "Read the folder of one partition, or all of them by SQL: read_parquet('…/**/*.parquet', hive_partitioning = true).",
    },
  );
}

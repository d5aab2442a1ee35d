import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { getSystemErrorName } from "node:util";
import { expect, it } from "vitest";
import { writeFrame } from "../../src/cli/output/output.js";
import { ERROR_CODES } from "../../src/errors/codes.js";
import { type ArrowbookError, FileError } from "../../src/errors/errors.js";
import { fileError, isSystemError, toFileError } from "../../src/errors/file-error.js";
import { bulkFile, Frame } from "../../src/index.js";
import { installKernel } from "../../src/kernel/install/install.js";
import { runNotebook } from "../../src/kernel/notebook/run-notebook.js";
import { serve } from "../../src/server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder("file-error");
const missing = join(folder, "missing.csv");
const columns = [{ name: "a", type: "Integer" }];
const frame = Frame.fromRows([{ a: 1 }], columns);
const file = join(folder, "file");
writeFileSync(file, "a\n1\n");

const system = (code: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: something, open '/x'`), { code, syscall: "open", path: "/x" });

it("every error code of the operating system becomes a code of the list, and stays in the cause", () => {
  for (const errno of Object.values(constants.errno)) {
    const code = getSystemErrorName(-errno);
    for (const operation of ["read", "write", "delete"] as const) {
      const error = fileError("/x", operation, system(code));
      expect(error).toBeInstanceOf(FileError);
      expect(ERROR_CODES[error.code].class).toBe("FileError");
      expect(error.message).toContain(`Cannot ${operation} /x: `);
      expect(error.hint).toMatch(/^[A-Z].*\.$/);
      expect((error.cause as NodeJS.ErrnoException).code).toBe(code);
    }
  }
});

it.each([
  ["ENOENT", "FileNotFound", "it does not exist"],
  ["ENOTDIR", "FileNotFound", "a part of the path is not a folder"],
  ["EACCES", "AccessDenied", "permission denied"],
  ["EPERM", "AccessDenied", "permission denied"],
  ["EROFS", "AccessDenied", "read-only"],
  ["ENOSPC", "DiskFull", "the disk is full"],
  ["EDQUOT", "DiskFull", "quota"],
  ["EISDIR", "NotAFile", "it is a folder"],
  ["EIO", "FileFailed", "EIO"],
])("%s is %s", (code, own, words) => {
  const error = fileError("/x", "read", system(code));
  expect(error.code).toBe(own);
  expect(error.message).toContain(words);
});

it("an error that the file system did not report passes through", () => {
  const other = new TypeError("no");
  expect(isSystemError(other)).toBe(false);
  expect(toFileError("/x", "read", other)).toBe(other);
  const own = new FileError("x", { code: "FileChanged" });
  expect(toFileError("/x", "read", own)).toBe(own);
});

const zip = (path: string) => bulkFile(path, { columns });

it.each<[string, () => unknown]>([
  ["a CSV file", () => Frame.fromCSV(missing, { columns })],
  ["a zip archive", () => Frame.fromZip(missing, { columns })],
  ["a Parquet file", () => Frame.fromParquet(missing)],
  ["an Arrow file", () => Frame.fromArrow(missing)],
  ["an archive as a bulk file", () => zip(missing).frame()],
  ["an archive to copy", () => zip(missing).saveZip(join(folder, "copy.zip"))],
  ["a notebook", () => runNotebook(missing)],
  ["a kernel's prelude", () => installKernel({ prefix: folder, prelude: missing })],
  ["a data folder", () => serve({ data: missing })],
])("%s that does not exist is FileNotFound, with Node's error as the cause", async (_, read) => {
  const error = await Promise.resolve()
    .then(read)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(FileError);
  expect(error).toMatchObject({ code: "FileNotFound", cause: { code: "ENOENT" } });
  expect((error as FileError).message).toMatch(/^Cannot read .*missing\.csv.*: it does not exist\.$/);
});

it.each<[string, (path: string) => unknown]>([
  ["CSV", (path) => frame.toCSV(path)],
  ["Parquet", (path) => frame.toParquet(path)],
  ["Arrow", (path) => frame.toArrow(path)],
  ["a chart", (path) => frame.plot({ y: "a", mark: "histogram" }).save(`${path}.json`)],
  ["JSON on the command line", (path) => writeFrame(frame, `${path}.json`, { json: true })],
  ["a kernelspec", (path) => installKernel({ prefix: path })],
])("writing %s below a file is FileNotFound, not a code of Node", async (_, write) => {
  const error = await Promise.resolve()
    .then(() => write(join(file, "below")))
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(FileError);
  expect(error).toMatchObject({ code: "FileNotFound", cause: { code: expect.stringMatching(/^E[A-Z]+$/) } });
});

it("a folder in place of a file is NotAFile", async () => {
  const place = join(folder, "folder.csv");
  mkdirSync(place);
  for (const read of [
    () => Frame.fromCSV(place, { columns }),
    () => Frame.fromZip(place, { columns }),
    () => Frame.fromParquet(place),
    () => Frame.fromArrow(place),
    () => frame.toCSV(place),
  ]) {
    const error = await Promise.resolve()
      .then(read as () => Promise<unknown>)
      .then(
        () => undefined,
        (thrown: unknown) => thrown as ArrowbookError,
      );
    expect(error).toBeInstanceOf(FileError);
    expect(error?.code).toBe("NotAFile");
  }
});

it.skipIf(process.getuid?.() === 0)("a file that may not be read is AccessDenied", async () => {
  const secret = join(folder, "secret.csv");
  writeFileSync(secret, "a\n1\n");
  chmodSync(secret, 0);
  await expect(Frame.fromCSV(secret, { columns })).rejects.toMatchObject({ code: "AccessDenied" });
});
